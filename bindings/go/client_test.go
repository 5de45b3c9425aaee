// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// These tests need a domain with the services that tests/e2e/099_go starts.
func client(t testing.TB) *Client {
	t.Helper()
	if os.Getenv("NDRX_QPREFIX") == "" {
		t.Skip("no domain: NDRX_QPREFIX is not set")
	}
	c, err := NewClient()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %#v, want %#v", got, want)
	}
}

var bg = context.Background()

func TestTextBytesAndJSONComeBack(t *testing.T) {
	c := client(t)
	var s string
	for _, in := range []string{"hello", "", strings.Repeat("x", 100000)} {
		check(t, c.Call(bg, "ECHO", in, &s))
		equal(t, s, in)
	}
	var b []byte
	check(t, c.Call(bg, "ECHO", []byte{0, 1, 0, 255}, &b))
	equal(t, b, []byte{0, 1, 0, 255})
	var j json.RawMessage
	check(t, c.Call(bg, "ECHO", json.RawMessage(`{"a":1}`), &j))
	equal(t, string(j), `{"a":1}`)
	var a any = "old"
	check(t, c.Call(bg, "ECHO", nil, &a))
	equal(t, a, nil)
	check(t, c.Call(bg, "ECHO", "text", &a))
	equal(t, a, "text")
	check(t, c.Call(bg, "ECHO", "unwanted", nil))
}

type account struct {
	Number   string   `ubf:"T_ACCNUM"`
	Currency string   `ubf:"T_ACCCUR"`
	Balance  *float64 `ubf:"T_AMTAVL"`
}

func TestAStructIsAQuestionAndAnAnswer(t *testing.T) {
	c := client(t)
	a := account{Number: "ACC00000001234", Currency: "USD"}
	check(t, c.Call(bg, "BALANCE", a, &a))
	equal(t, *a.Balance, 12.34)
	equal(t, a.Number, "ACC00000001234")
	var m map[string]any
	check(t, c.Call(bg, "BALANCE", map[string]any{
		"T_ACCNUM": "7", "T_ACCCUR": "EUR"}, &m))
	equal(t, m, map[string]any{"T_ACCNUM": "7", "T_ACCCUR": "EUR",
		"T_AMTAVL": 0.07})
	var j json.RawMessage
	check(t, c.Call(bg, "BALANCE", &account{Number: "9", Currency: "EUR"}, &j))
	equal(t, string(j), `{"T_ACCCUR":"EUR","T_ACCNUM":"9","T_AMTAVL":0.09}`)
}

type viewed struct {
	_      struct{} `view:"GOACCOUNT"`
	Number string   `view:"number"`
	Cents  int64    `view:"cents"`
	Rate   *float64 `view:"rate"`
	Limits []int    `view:"limits"`
	Key    []byte   `view:"key"`
	Other  int
}

func TestAViewIsAStruct(t *testing.T) {
	c := client(t)
	rate := 1.5
	in := viewed{Number: "ACC1", Cents: -7, Rate: &rate, Limits: []int{3, 2, 1},
		Key: []byte("12345678")}
	var out viewed
	out.Other = 3
	check(t, c.Call(bg, "ECHO", in, &out))
	in.Other = 3
	equal(t, out, in)
	var m map[string]any
	check(t, c.Call(bg, "ECHO", &in, &m))
	equal(t, m, map[string]any{"number": "ACC1", "cents": int64(-7), "rate": 1.5,
		"limits": []any{int64(3), int64(2), int64(1)}, "key": []byte("12345678")})
	var j AsJSON
	check(t, c.Call(bg, "ECHO", in, &j))
	if !strings.Contains(string(j.Text), `"GOACCOUNT"`) {
		t.Fatal(string(j.Text))
	}
	if err := c.Call(bg, "ECHO", in, new(account)); err == nil ||
		!strings.Contains(err.Error(), "GOACCOUNT") {
		t.Fatal(err)
	}
	if err := c.Call(bg, "ECHO", account{Number: "1"}, &out); err == nil {
		t.Fatal("UBF is no view")
	}
	in.Limits = []int{1, 2, 3, 4}
	if err := c.Call(bg, "ECHO", in, nil); err == nil || !strings.Contains(err.Error(), "limits") {
		t.Fatal(err)
	}
	var wrong struct {
		_ struct{} `view:"GOACCOUNT"`
		X int      `view:"nothing"`
	}
	if err := c.Call(bg, "ECHO", wrong, nil); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Fatal(err)
	}
	var s string
	check(t, c.Call(bg, "ECHO", "the context is well", &s))
}

type inner struct {
	Name  string  `ubf:"F_NAME"`
	Parts []inner `ubf:"F_SUB"`
}

type everything struct {
	Count  int64     `ubf:"F_COUNT"`
	Small  []uint8   `ubf:"F_BYTES"`
	Amount []float32 `ubf:"F_AMOUNT"`
	Names  []string  `ubf:"F_NAME"`
	Sub    []inner   `ubf:"F_SUB"`
	Empty  string    `ubf:"F_ACCOUNT,omitempty"`
	Other  int
}

func TestOccurrencesAndEmbeddedBuffersKeepTheirPlace(t *testing.T) {
	c := client(t)
	in := everything{
		Count: -5, Small: []byte{1, 0, 2}, Amount: []float32{1.5, 0, -2},
		Names: []string{"", "b", "c"},
		Sub: []inner{
			{Name: "one", Parts: []inner{{Name: "deep"}, {Name: "er"}}},
			{Name: "two"},
		},
	}
	var out everything
	out.Empty, out.Other = "old", 3
	check(t, c.Call(bg, "ECHO", in, &out))
	in.Other = 3
	equal(t, out, in)
	var m map[string]any
	check(t, c.Call(bg, "ECHO", in, &m))
	equal(t, m["F_NAME"], []any{"", "b", "c"})
	equal(t, m["F_COUNT"], int64(-5))
	sub := m["F_SUB"].([]any)
	equal(t, sub[0].(map[string]any)["F_SUB"].([]any)[1],
		map[string]any{"F_NAME": "er"})
	equal(t, sub[1], map[string]any{"F_NAME": "two"})
	var again everything
	check(t, c.Call(bg, "ECHO", m, &again))
	again.Other = 3
	equal(t, again, in)
}

func TestValuesThatDoNotFitAreNamed(t *testing.T) {
	c := client(t)
	var small struct {
		N uint8 `ubf:"F_COUNT"`
	}
	err := c.Call(bg, "ECHO", map[string]any{"F_COUNT": 300}, &small)
	if err == nil || !strings.Contains(err.Error(), "F_COUNT") {
		t.Fatal(err)
	}
	err = c.Call(bg, "ECHO", map[string]any{"F_NOTHING": 1}, nil)
	if err == nil || !strings.Contains(err.Error(), "F_NOTHING") {
		t.Fatal(err)
	}
	err = c.Call(bg, "ECHO", 17, nil)
	if err == nil || !strings.Contains(err.Error(), "int") {
		t.Fatal(err)
	}
}

// No service has this name: what is sent to it says so.
func TestValuesThatCannotBeSentAreNotDone(t *testing.T) {
	c := client(t)
	var none *string
	for _, err := range []error{
		c.Call(bg, "NOSUCH", 17, nil),
		c.Call(bg, "NOSUCH", "a\x00b", nil),
		c.Call(bg, "NOSUCH", "x", "no pointer"),
		c.Call(bg, "NOSUCH", "x", none),
		c.Send(bg, "NOSUCH", 17),
		c.Post(bg, "NOSUCH", 17),
	} {
		var e *Error
		if !errors.As(err, &e) || !e.NotDone || e.Code != TPEINVAL {
			t.Errorf("%#v", err)
		}
	}
	_, err := c.Enqueue(bg, "S", "Q", 17)
	var e *Error
	equal(t, errors.As(err, &e) && e.NotDone && e.Service == "Q", true)
	_, err = c.Dequeue(bg, "S", "Q", 17)
	equal(t, errors.As(err, &e) && e.NotDone, true)
}

// A call that waits for room keeps its place, but for a few that are sent at the same time.
// SLEEP has one server.
func TestManyCallsThatWaitForRoomKeepTheirOrder(t *testing.T) {
	c := client(t)
	c.Patient()
	c.busy.Add(100) // no call in a thread of its own
	defer c.busy.Add(-100)
	line := &c.paceOf("SLEEP").line
	out := func() int {
		c.shared.mu.Lock()
		defer c.shared.mu.Unlock()
		return len(c.shared.waiting) + int(line.n.Load())
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var came []int
	begin := func(ms string, n int) {
		before := out()
		all.Add(1)
		go func() {
			defer all.Done()
			check(t, c.Call(bg, "SLEEP", ms, nil))
			mu.Lock()
			defer mu.Unlock()
			if n >= 0 {
				came = append(came, n)
			}
		}()
		within(t, "a call is out", func() {
			for out() == before {
				time.Sleep(10 * time.Microsecond)
			}
		})
	}
	begin("1500", -1)
	for line.n.Load() == 0 {
		begin("0", -1)
	}
	for n := 0; n < 24; n++ {
		begin("10", n)
	}
	within(t, "calls", all.Wait)
	for i, n := range came {
		if n-i > 8 || i-n > 8 {
			t.Errorf("%d came as number %d: %v", n, i, came)
		}
	}
	equal(t, len(came), 24)
	equal(t, line.n.Load(), int32(0))
}

type wide struct {
	Count uint64 `ubf:"F_COUNT"`
}

type Outer struct {
	Name string `ubf:"F_NAME"`
}

type hidden struct {
	Name string `ubf:"F_NAME"`
}

// Nothing is cut off, wraps around, or stays of an earlier reply.
func TestValuesAreWholeOrRefused(t *testing.T) {
	c := client(t)
	refused := func(in, out any, word string) {
		t.Helper()
		err := c.Call(bg, "ECHO", in, out)
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%#v: %v, want %s", in, err, word)
		}
	}
	refused("a\x00b", nil, "NUL")
	refused(json.RawMessage("{\x00}"), nil, "NUL")
	refused(map[string]any{"F_NAME": "a\x00b"}, nil, "F_NAME")
	refused(wide{1 << 63}, nil, "F_COUNT")
	refused(map[string]any{"F_COUNT": uint(1 << 63)}, nil, "F_COUNT")
	var small struct {
		N int     `ubf:"F_AMOUNT"`
		F float32 `ubf:"F_FLOAT"`
	}
	refused(map[string]any{"F_AMOUNT": 1e300}, &small, "F_AMOUNT")
	var low struct {
		F float32 `ubf:"F_AMOUNT"`
	}
	refused(map[string]any{"F_AMOUNT": 1e300}, &low, "F_AMOUNT")
	var few map[string]int8
	refused(map[string]any{"F_COUNT": 300}, &few, "F_COUNT")

	var kept struct{ A, B int }
	check(t, c.Call(bg, "ECHO", json.RawMessage(`{"A":1,"B":2}`), &kept))
	check(t, c.Call(bg, "ECHO", json.RawMessage(`{"A":3}`), &kept))
	equal(t, kept.B, 0)
}

func TestAStructByAPointerInsideIsMade(t *testing.T) {
	c := client(t)
	type both struct {
		*Outer
		Count int `ubf:"F_COUNT"`
	}
	var got both
	check(t, c.Call(bg, "ECHO", both{Count: 5}, &got))
	if got.Outer != nil || got.Count != 5 {
		t.Fatalf("%+v", got)
	}
	check(t, c.Call(bg, "ECHO", both{&Outer{"x"}, 6}, &got))
	equal(t, *got.Outer, Outer{"x"})
	type no struct {
		*hidden
	}
	err := c.Call(bg, "ECHO", "x", new(no))
	if err == nil {
		t.Fatal("it went somewhere")
	}
	err = c.Call(bg, "ECHO", no{&hidden{"x"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "not exported") {
		t.Fatal(err)
	}
}

func TestAStructThatHoldsItselfIsRefused(t *testing.T) {
	c := client(t)
	type loop struct {
		Next *loop `ubf:"F_SUB"`
	}
	l := &loop{}
	l.Next = l
	err := c.Call(bg, "ECHO", l, nil)
	if err == nil || !strings.Contains(err.Error(), "itself") {
		t.Fatal(err)
	}
	m := map[string]any{}
	m["F_SUB"] = m
	if err = c.Call(bg, "ECHO", m, nil); err == nil || !strings.Contains(err.Error(), "itself") {
		t.Fatal(err)
	}
	check(t, c.Call(bg, "ECHO", loop{&loop{&loop{}}}, nil))
}

func TestADeadlineThatIsOverBeginsNothing(t *testing.T) {
	c := client(t)
	ctx, cancel := context.WithCancel(bg)
	cancel()
	nothing := func(context.Context) error { return nil }
	for _, err := range []error{c.Do(ctx, nothing), c.Post(ctx, "EV", "x"), c.Call(ctx, "ECHO", "x", nil)} {
		var e *Error
		if !errors.As(err, &e) || !e.NotDone || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestADeadEndBeginsNothing(t *testing.T) {
	c := client(t)
	_, ofQueue := c.Enqueue(bg, "NOSPACE", "Q", "x")
	_, ofNext := c.Dequeue(bg, "NOSPACE", "Q", nil)
	_, ofConversation := c.Connect(bg, "NOSUCHSVC", nil, Ours)
	for _, err := range []error{ofQueue, ofNext, ofConversation} {
		var e *Error
		if !errors.As(err, &e) || !e.NotDone || e.Code != TPENOENT {
			t.Error(err)
		}
	}
}

// Panics is JSON that cannot be read, in the program's own code.
type Panics struct{}

func (*Panics) UnmarshalJSON([]byte) error { panic("the program's own") }

func TestErrorsOfTheProgramLeaveTheClientWhole(t *testing.T) {
	c := client(t)
	for i := 0; i < 20; i++ {
		for _, out := range []any{(*any)(nil), (*string)(nil), (*[]byte)(nil), (*json.RawMessage)(nil),
			(*Lent)(nil), (*Reused)(nil), (*AsJSON)(nil), (*account)(nil), (*int)(nil), "x"} {
			if err := c.Call(bg, "ECHO", "x", out); err == nil {
				t.Fatalf("a reply went to %T", out)
			}
		}
		func() {
			defer func() { _ = recover() }()
			c.paceOf("ECHO").skip.Store(int32(i % 2)) // each of the ways
			_ = c.Call(bg, "ECHO", json.RawMessage(`{}`), &struct{ Panics }{})
			t.Error("nothing panicked")
		}()
		var text string
		check(t, c.Call(bg, "ECHO", "still here", &text))
		equal(t, text, "still here")
	}
	var e *Error
	if err := c.Call(bg, "ECHO\x00X", "x", nil); !errors.As(err, &e) || e.Code != TPENOENT {
		t.Error(err)
	}
	c.Close()
}

// A request that was refused at once has used up its deadline.
func TestADeadlineIsThatOfItsCallAlone(t *testing.T) {
	c := client(t)
	for i := 0; i < 10; i++ {
		ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
		_ = c.Call(ctx, "", "x", nil)
		_ = c.Call(ctx, strings.Repeat("X", 99), "x", nil)
		_, _ = c.Enqueue(ctx, strings.Repeat("X", 99), "Q", "x")
		cancel()
		check(t, c.Call(bg, "SLEEP", "100", nil))
	}
}

func TestErrorsHaveCodeTextAndData(t *testing.T) {
	c := client(t)
	err := c.Call(bg, "NOBODY", "x", nil)
	if !errors.Is(err, TPENOENT) || errors.Is(err, TPETIME) {
		t.Fatal(err)
	}
	var e *Error
	err = c.Call(bg, "FAIL", "why", nil)
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	equal(t, e.Code, TPESVCFAIL)
	equal(t, e.Service, "FAIL")
	equal(t, e.Data, "why")
	if e.Urcode == 0 || e.Text == "" || e.Code.Error() != "TPESVCFAIL" {
		t.Fatalf("%+v", e)
	}
	err = c.Call(bg, "NOBODY", "x", nil)
	if !errors.As(err, &e) || e.Code != TPENOENT || e.Urcode != 0 {
		t.Fatalf("the urcode of an earlier reply: %+v", e)
	}
}

func TestADeadlineEndsACall(t *testing.T) {
	c := client(t)
	for _, ms := range []int{1, 50, 300} {
		ctx, cancel := context.WithTimeout(bg, time.Duration(ms)*time.Millisecond)
		begin := time.Now()
		err := c.Call(ctx, "SLEEP", "1000", nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, TPETIME) {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 900*time.Millisecond {
			t.Fatal(took)
		}
	}
}

func TestACancelledCallIsGivenUp(t *testing.T) {
	c := client(t)
	ctx, cancel := context.WithCancel(bg)
	time.AfterFunc(50*time.Millisecond, cancel)
	err := c.Call(ctx, "SLEEP", "1000", nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	err = c.Call(ctx, "ECHO", "x", nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var s string
	check(t, c.Call(bg, "ECHO", "after", &s))
	equal(t, s, "after")
}

func threads(t testing.TB) (n int) {
	b, err := os.ReadFile("/proc/self/status")
	check(t, err)
	for _, line := range strings.Split(string(b), "\n") {
		fmt.Sscanf(line, "Threads: %d", &n)
	}
	return n
}

func TestManyGoroutinesGetTheirOwnReplies(t *testing.T) {
	c := client(t)
	var wg sync.WaitGroup
	for i := 0; i < 1000; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for k := 0; k < 10; k++ {
				in, out := fmt.Sprint(i, k), ""
				if err := c.Call(bg, "ECHO", in, &out); err != nil || out != in {
					t.Errorf("%q %q %v", in, out, err)
					return
				}
			}
		}(i)
	}
	wg.Wait()
}

func TestACallThatWaitsHasNoThread(t *testing.T) {
	c := client(t)
	ctx, cancel := context.WithTimeout(bg, 700*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	before := threads(t)
	for i := 0; i < 500; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_ = c.Call(ctx, "SLEEP", "400", nil)
		}()
	}
	time.Sleep(300 * time.Millisecond)
	if n := threads(t); n > before+20 {
		t.Errorf("%d threads, %d before", n, before)
	}
	var s string
	check(t, c.Call(bg, "ECHO", "beside them", &s))
	wg.Wait()
}

func TestCloseEndsWhatIsOut(t *testing.T) {
	c := client(t)
	done := make(chan error)
	go func() { done <- c.Call(bg, "SLEEP", "1500", nil) }()
	time.Sleep(50 * time.Millisecond)
	c.Close()
	if err := <-done; err == nil {
		t.Fatal("it succeeded")
	}
	if err := c.Call(bg, "ECHO", "x", nil); err == nil {
		t.Fatal("it is closed")
	}
}

func TestSendWantsNoReply(t *testing.T) {
	c := client(t)
	check(t, c.Send(bg, "ECHO", "x"))
	if err := c.Send(bg, "NOBODY", "x"); !errors.Is(err, TPENOENT) {
		t.Fatal(err)
	}
}

func BenchmarkEcho200(b *testing.B) {
	c := client(b)
	in, out := strings.Repeat("x", 200), ""
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		check(b, c.Call(bg, "ECHO", in, &out))
	}
}

// Buffers in buffers, views in buffers, several of each.
func TestAStructHasBuffersAndViewsInside(t *testing.T) {
	type inner struct {
		Count int      `ubf:"F_COUNT"`
		Views []viewed `ubf:"F_VIEW"`
	}
	type outer struct {
		Name string  `ubf:"F_NAME"`
		Subs []inner `ubf:"F_SUB"`
		View *viewed `ubf:"F_VIEW"`
	}
	c := client(t)
	rate := 2.5
	one := viewed{Number: "ACC1", Cents: 1, Rate: &rate, Limits: []int{1, 2, 3}, Key: []byte("12345678")}
	two := viewed{Number: "ACC2", Cents: 2, Limits: []int{3, 4, 5}, Key: []byte("abcdefgh")}
	in := outer{Name: "x", View: &two, Subs: []inner{{Count: 1, Views: []viewed{one, two}},
		{Count: 2}, {Count: 3, Views: []viewed{two}}}}
	var out outer
	check(t, c.Call(bg, "ECHO", in, &out))
	equal(t, out.Name, "x")
	equal(t, len(out.Subs), 3)
	equal(t, out.Subs[0].Views[0], one)
	for _, v := range []viewed{*out.View, out.Subs[0].Views[1], out.Subs[2].Views[0]} {
		equal(t, []any{v.Number, v.Cents, v.Limits, v.Key}, []any{two.Number, two.Cents, two.Limits, two.Key})
	}
	equal(t, out.Subs[1], inner{Count: 2})
	var m map[string]any
	check(t, c.Call(bg, "ECHO", outer{View: &one}, &m))
	equal(t, m["F_VIEW"], map[string]any{"number": "ACC1", "cents": int64(1), "rate": 2.5,
		"limits": []any{int64(1), int64(2), int64(3)}, "key": []byte("12345678")})
	var wrong struct {
		View account `ubf:"F_VIEW"`
	}
	if err := c.Call(bg, "ECHO", outer{View: &one}, &wrong); err == nil || !says(err, "GOACCOUNT") {
		t.Fatal(err)
	}
	one.Limits = []int{1, 2, 3, 4}
	if err := c.Call(bg, "ECHO", outer{View: &one}, nil); err == nil || !says(err, "F_VIEW") || !says(err, "limits") {
		t.Fatal(err)
	}
}

// Whichever context has the call: one that waits in its thread, or the shared one.
func onBothPaths(c *Client, fn func()) {
	fn()
	c.busy.Add(100)
	defer c.busy.Add(-100)
	fn()
}

func TestManyBytesAreNotCopied(t *testing.T) {
	c := client(t)
	outside, err := syscall.Mmap(-1, 0, 1<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	check(t, err)
	defer func() { _ = syscall.Munmap(outside) }()
	outside[1<<20-1] = 7 // memory that is not Go's is copied
	for _, in := range [][]byte{bytes.Repeat([]byte("many bytes"), 100000), outside, []byte("few")} {
		onBothPaths(c, func() {
			for i := 0; i < 3; i++ {
				var l Lent
				check(t, c.Call(bg, "ECHO", in, &l))
				got, _ := l.Value.([]byte)
				equal(t, bytes.Equal(got, in), true)
				l.Free()
				l.Free()
			}
			var b []byte
			check(t, c.Call(bg, "ECHO", in, &b)) // the context has a buffer again
			equal(t, bytes.Equal(b, in), true)
		})
	}
	for _, in := range []any{"text", nil, json.RawMessage(`{"a":1}`)} {
		var l Lent
		check(t, c.Call(bg, "ECHO", in, &l))
		equal(t, l.Value, in)
		l.Free()
	}
	long := json.RawMessage(`"` + strings.Repeat("x", 100000) + `"`)
	var j json.RawMessage
	check(t, c.Call(bg, "ECHO", long, &j))
	equal(t, bytes.Equal(j, long), true)
}

func TestValuesOfAnyLengthComeAsJSON(t *testing.T) {
	c := client(t)
	for _, n := range []int{0, 1, 4000, 4096, 5000, 100000} {
		text := strings.Repeat("x", n)
		onBothPaths(c, func() {
			var a AsJSON
			check(t, c.Call(bg, "ECHO", map[string]any{"T_ACCNUM": text}, &a))
			var back map[string]string
			check(t, json.Unmarshal(a.Text, &back))
			equal(t, back["T_ACCNUM"], text)
		})
	}
}

// Their requests are sent by their own goroutines, and no thread looks for the replies.
func TestManyCallsOfAPatientClientComeBack(t *testing.T) {
	c := client(t)
	c.Patient()
	var all sync.WaitGroup
	for i := 0; i < 50; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			for n := 0; n < 40; n++ {
				in, s := fmt.Sprint(i, n), ""
				if err := c.Call(bg, "ECHO", in, &s); err != nil || s != in {
					t.Error(s, err)
				}
			}
		}(i)
	}
	within(t, "calls", all.Wait)
	c.shared.mu.Lock()
	hopeful, out := c.shared.hopeful, len(c.shared.waiting)
	c.shared.mu.Unlock()
	equal(t, []int{hopeful, out}, []int{0, 0})
	ctx, cancel := context.WithTimeout(bg, 50*time.Millisecond)
	defer cancel()
	c.busy.Add(100)
	defer c.busy.Add(-100)
	if err := c.Call(ctx, "SLEEP", "500", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
