// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Against internal/gotestsv.
func TestServerAnswersInEachWay(t *testing.T) {
	c := client(t)
	var a any
	for _, in := range []any{nil, "text", "", strings.Repeat("y", 50000),
		map[string]any{"F_COUNT": int64(3), "F_NAME": []any{"a", "b"}}} {
		check(t, c.Call(bg, "GOECHO", in, &a))
		equal(t, a, in)
		check(t, c.Call(bg, "GOFORWARD", in, &a))
		equal(t, a, in)
		check(t, c.Call(bg, "GOCALL", in, &a))
		equal(t, a, in)
	}
	// What it gives is sent when Go has returned: the collector of garbage may run before.
	for i := 0; i < 300; i++ {
		in := bytes.Repeat([]byte{byte(i), 3, 5}, 7000+i)
		check(t, c.Call(bg, "GOECHO", in, &a))
		equal(t, a, in)
		text := json.RawMessage(`"` + strings.Repeat(string(rune('a'+i%26)), 20000+i) + `"`)
		check(t, c.Call(bg, "GOECHO", text, &a))
		equal(t, a, text)
	}
	q := account{Number: "ACC00000000042", Currency: "USD"}
	check(t, c.Call(bg, "GOBALANCE", q, &q))
	equal(t, *q.Balance, 0.42)
	check(t, c.Call(bg, "GONAME", nil, &a))
	equal(t, a, "GONAME")
	for _, svc := range []string{"GOPOINTER", "GOPOINTED"} {
		check(t, c.Call(bg, svc, "x", &a))
		equal(t, a, "x")
	}
}

func TestServerFailsAsToldAndSurvivesPanics(t *testing.T) {
	c := client(t)
	var e *Error
	for i := 0; i < 3; i++ {
		err := c.Call(bg, "GOFAIL", "x", nil)
		if !errors.As(err, &e) || e.Code != TPESVCFAIL || e.Urcode != 3 || e.Data != "because" {
			t.Fatal(err)
		}
		if err = c.Call(bg, "GOERROR", "x", nil); !errors.Is(err, TPESVCFAIL) {
			t.Fatal(err)
		}
		if err = c.Call(bg, "GOPANIC", "x", nil); !errors.Is(err, TPESVCERR) {
			t.Fatal(err)
		}
		if err = c.Call(bg, "GOCANNOT", "x", nil); !errors.Is(err, TPESVCERR) {
			t.Fatal(err)
		}
		if err = c.Call(bg, "GONILFAIL", "x", nil); !errors.Is(err, TPESVCFAIL) {
			t.Fatal(err)
		}
		if err = c.Call(bg, "GOBADERROR", "x", nil); !errors.Is(err, TPESVCERR) {
			t.Fatal(err)
		}
	}
	check(t, c.Call(bg, "GOLATE", "x", nil))
}

// TPEBLOCK of a service is an answer, and not that there is none, wherever it comes.
func TestServerReturnsTPEBLOCK(t *testing.T) {
	c := client(t)
	ctx, cancel := context.WithTimeout(bg, 5*time.Second)
	defer cancel()
	var e *Error
	for i, ms := range []string{"0", "50", "0"} { // in the thread, by the poller, by the shared context
		c.paceOf("GOSOFT").skip.Store(int32(i / 2 * 1000))
		err := c.Call(ctx, "GOSOFT", ms, nil)
		if !errors.As(err, &e) || e.Code != TPEBLOCK || e.NotDone || ctx.Err() != nil {
			t.Error(i, err)
		}
	}
}

func TestServerWithThreadsServesAtOnce(t *testing.T) {
	c := client(t)
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := c.Call(bg, "GOMEET", nil, nil); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}

func TestServerConverses(t *testing.T) {
	c := client(t)
	s, err := c.Connect(bg, "GOCONV", "good ", Ours)
	check(t, err)
	defer s.Close()
	var got string
	for _, x := range []struct{ say, hear string }{{"a", "1a"}, {"b", "2b"}} {
		check(t, s.Send(bg, x.say, Theirs))
		check(t, s.Recv(bg, &got))
		equal(t, got, x.hear)
		equal(t, s.MaySend(), true)
	}
	check(t, s.Send(bg, "bye", Theirs))
	if err := s.Recv(bg, &got); err != io.EOF {
		t.Fatal(err)
	}
	equal(t, got, "good bye")
	// One that is broken off: the server hears of it, and serves on.
	broken, err := c.Connect(bg, "GOCONV", "x", Ours)
	check(t, err)
	check(t, broken.Send(bg, "a", Theirs))
	check(t, broken.Recv(bg, &got))
	broken.Close()
	check(t, c.Call(bg, "GOECHO", "after", &got))
	equal(t, got, "after")
}

// A piece of many bytes, and then few: each is what the service has sent.
func TestServerConversesInPieces(t *testing.T) {
	c := client(t)
	var reused Reused
	for n, sizes := range []string{"70000 5 20000 16384 16383 1 65536 7", "100000", "3 100000 0", "100000 0 2",
		"70000 5 0 20000 7"} {
		s, err := c.Connect(bg, "GOPIECES", sizes, Theirs)
		check(t, err)
		words := strings.Fields(sizes)
		for i, word := range words {
			var got []byte
			var to any = &got
			if n%2 == 0 {
				to = &reused
			}
			err := s.Recv(bg, to)
			if n%2 == 0 {
				got = reused.Bytes
			}
			if i == len(words)-1 && err == io.EOF {
				err = nil
			}
			check(t, err)
			n, _ := strconv.Atoi(word)
			if !bytes.Equal(got, bytes.Repeat([]byte{byte(i + 1)}, n)) {
				t.Errorf("piece %d of %s: %d bytes", i, sizes, len(got))
			}
		}
		s.Close()
	}
}

func TestStreamGoesBothWays(t *testing.T) {
	c := client(t)
	s, err := c.Connect(bg, "CONV", "all give:two all return:bye", Ours)
	check(t, err)
	defer s.Close()
	check(t, s.Send(bg, "one", Ours))
	check(t, s.Send(bg, "control", Theirs))
	equal(t, s.MaySend(), false)
	var got string
	check(t, s.Recv(bg, &got))
	equal(t, got, "two")
	equal(t, s.MaySend(), true)
	check(t, s.Send(bg, "three", Theirs))
	if err := s.Recv(bg, &got); err != io.EOF {
		t.Fatal(err)
	}
	equal(t, got, "bye")
	if err := s.Recv(bg, &got); err == nil {
		t.Fatal("it is over")
	}
}

func TestStreamEndsByDeadlineDeathAndClose(t *testing.T) {
	c := client(t)
	s, err := c.Connect(bg, "CONV", "sleep:1000 return:x", Theirs)
	check(t, err)
	ctx, cancel := context.WithTimeout(bg, 100*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := s.Recv(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 800*time.Millisecond {
		t.Fatal(took)
	}
	s.Close()
	s, err = c.Connect(bg, "CONV", "crash", Theirs)
	check(t, err)
	err = s.Recv(bg, nil)
	var e *Error
	if !errors.As(err, &e) || e.Code != TPEEVENT || e.Event == 0 {
		t.Fatal(err)
	}
	s.Close()
}

func TestEventsComeInAChannel(t *testing.T) {
	c := client(t)
	b, err := c.Subscribe("NEWS.*", "")
	check(t, err)
	for i := 0; i < 100; i++ {
		check(t, c.Post(bg, "NEWS1", map[string]any{"F_COUNT": i}))
		check(t, c.Post(bg, "OTHER", nil))
	}
	for i := 0; i < 100; i++ {
		select {
		case e := <-b.C:
			var m map[string]any
			check(t, e.Decode(&m))
			equal(t, m["F_COUNT"], int64(i))
		case <-time.After(5 * time.Second):
			t.Fatal("no event", i)
		}
	}
	b.Close()
	if _, more := <-b.C; more {
		t.Fatal("it is closed")
	}
}

// What does not fit is in its queue again, as it was.
func TestAMessageThatDoesNotFitIsPutBack(t *testing.T) {
	c := client(t)
	var s string
	var m struct {
		Name int `ubf:"F_NAME"`
	}
	id, err := c.Enqueue(bg, "S", "Q", map[string]any{"F_NAME": "four"})
	check(t, err)
	_, err = c.Dequeue(bg, "S", "Q", &m)
	var misfit *MessageError
	if !errors.As(err, &misfit) || !misfit.PutBack || misfit.ID != id {
		t.Fatal(err)
	}
	var kept map[string]any
	_, err = c.Dequeue(bg, "S", "Q", &kept)
	check(t, err)
	equal(t, kept["F_NAME"], "four")
	if _, err = c.Dequeue(bg, "S", "Q", &s); err != ErrEmpty {
		t.Fatal(err)
	}
}

// A text that is none of UTF-8, and a view: no form in between has to say them.
func TestAMessageIsPutBackAsItWas(t *testing.T) {
	c := client(t)
	for _, in := range []any{"a\xff", []byte{0, 1}, viewed{Number: "ACC1"}, nil} {
		id, err := c.Enqueue(bg, "S", "Q", in)
		check(t, err)
		var m Message
		got, err := c.Dequeue(bg, "S", "Q", &m)
		check(t, err)
		equal(t, got, id)
		var a, again any
		check(t, m.Decode(&a))
		check(t, c.PutBack(bg, &m))
		got, err = c.Dequeue(bg, "S", "Q", &again)
		check(t, err)
		equal(t, got != id, true)
		equal(t, again, a)
	}
}

func TestQueueKeepsMessages(t *testing.T) {
	c := client(t)
	var s string
	if _, err := c.Dequeue(bg, "S", "Q", &s); err != ErrEmpty {
		t.Fatal(err)
	}
	id, err := c.Enqueue(bg, "S", "Q", "first")
	check(t, err)
	_, err = c.Enqueue(bg, "S", "Q", "second")
	check(t, err)
	got, err := c.Dequeue(bg, "S", "Q", &s)
	check(t, err)
	equal(t, got, id)
	equal(t, s, "first")
	_, err = c.DequeueWait(bg, "S", "Q", &s)
	check(t, err)
	equal(t, s, "second")
	time.AfterFunc(100*time.Millisecond, func() {
		_, _ = c.Enqueue(bg, "S", "Q", "third")
	})
	_, err = c.DequeueWait(bg, "S", "Q", &s)
	check(t, err)
	equal(t, s, "third")
	ctx, cancel := context.WithTimeout(bg, 50*time.Millisecond)
	defer cancel()
	if _, err = c.DequeueWait(ctx, "S", "Q", &s); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

// The service A adds to the total of a resource manager, which the story reads.
func TestTranCommitsOrRollsBack(t *testing.T) {
	c := client(t)
	add := func(text string, end error) error {
		return c.Do(bg, func(ctx context.Context) error {
			if err := c.Call(ctx, "A", text, nil); err != nil {
				return err
			}
			return end
		})
	}
	check(t, add("add:5", nil))
	wrong := errors.New("changed my mind")
	if err := add("add:100", wrong); err != wrong {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = c.Do(bg, func(ctx context.Context) error {
			check(t, c.Call(ctx, "A", "add:1000", nil))
			panic("on the way")
		})
	}()
	check(t, add("add:2", nil))
}

func descriptors(t testing.TB) int {
	files, err := os.ReadDir("/proc/self/fd")
	check(t, err)
	return len(files)
}

func TestStreamsAndClientsLeaveNoDescriptor(t *testing.T) {
	client(t)
	before := descriptors(t)
	for i := 0; i < 20; i++ {
		c, err := NewClient()
		check(t, err)
		for k := 0; k < 10; k++ {
			s, err := c.Connect(bg, "CONV", "send:a return:b", Theirs)
			check(t, err)
			var got string
			check(t, s.Recv(bg, &got))
			if k%2 == 0 {
				if err := s.Recv(bg, &got); err != io.EOF {
					t.Fatal(err)
				}
			}
			s.Close()
		}
		c.Close()
	}
	if n := descriptors(t); n > before+2 {
		t.Fatalf("%d descriptors, %d before", n, before)
	}
}
