// SPDX-License-Identifier: Apache-2.0

package idem

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

func equal(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

var (
	route = &config.Route{Method: "POST", Path: "/pay", Idempotency: time.Hour}
	anna  = &hook.Identity{Name: "anna"}
)

type gate struct {
	*Memory
	calls atomic.Int32
	next  func(r *http.Request) (*hook.Answer, bool)
}

func said(status int, text string) *hook.Answer {
	return &hook.Answer{Status: status, Header: http.Header{"X-Paid": {"yes"}}, Body: []byte(text)}
}

func open(t *testing.T, dir string) *gate {
	t.Helper()
	m, err := Open(dir)
	equal(t, err, nil)
	g := &gate{Memory: m}
	g.next = func(r *http.Request) (*hook.Answer, bool) {
		return said(201, fmt.Sprint("paid ", g.calls.Load())), false
	}
	return g
}

// ask gives status, body, and whether the answer is a repetition.
func (g *gate) ask(who *hook.Identity, key, body string, change ...func(*http.Request)) string {
	r := httptest.NewRequest("POST", "/pay", nil)
	r.Header.Set("Idempotency-Key", key)
	for _, f := range change {
		f(r)
	}
	a := g.Serve(r, []string{body}, who, route, func(r *http.Request) (*hook.Answer, bool) {
		g.calls.Add(1)
		return g.next(r)
	})
	text := string(a.Body)
	if p := a.Problem; p != nil {
		text = p.Type[strings.LastIndex(p.Type, ":")+1:] + ": " + p.Work
	}
	return fmt.Sprint(a.Status, " ", text, " ", a.Header.Get("Idempotency-Replayed"))
}

func TestTheFirstAnswerIsGivenAgain(t *testing.T) {
	dir := t.TempDir()
	g := open(t, dir)
	equal(t, g.ask(anna, `"k"`, "10"), "201 paid 1 ")
	equal(t, g.ask(anna, `"k"`, "10"), "201 paid 1 true")
	equal(t, g.ask(anna, `k`, "10"), "201 paid 1 true")
	g.Close()
	g = open(t, dir) // after a restart, too
	equal(t, g.ask(anna, `"k"`, "10"), "201 paid 1 true")
	equal(t, g.calls.Load(), 0)
	// Keys of others, and of another transaction are others.
	equal(t, g.ask(&hook.Identity{Name: "bob"}, `"k"`, "10"), "201 paid 1 ")
	equal(t, g.ask(nil, `"k"`, "10"), "201 paid 2 ")
	in := func(r *http.Request) { r.Header.Set("Endurox-Tptranid-Req", "t1") }
	equal(t, g.ask(anna, `"k"`, "10", in), "201 paid 3 ")
	equal(t, g.ask(anna, `"k"`, "10", in), "201 paid 3 true")
	g.Close()
}

func TestAnotherRequestWithTheKeyIsRefused(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	equal(t, g.ask(anna, "k", "10"), "201 paid 1 ")
	equal(t, g.ask(anna, "k", "11"), "422 other-request: not done ")
	equal(t, g.ask(anna, "k", "10", func(r *http.Request) { r.Header.Set("Content-Type", "x/y") }), "422 other-request: not done ")
	equal(t, g.ask(anna, "k", "10"), "201 paid 1 true")
	for _, key := range []string{``, `""`, strings.Repeat("x", 256), "a\tb", "ä"} {
		equal(t, g.ask(anna, key, "10"), "400 invalid-key: not done ")
	}
	equal(t, g.ask(anna, "k", "10", func(r *http.Request) { r.Header.Add("Idempotency-Key", "l") }), "400 invalid-key: not done ")
	equal(t, g.calls.Load(), 1)
}

func TestManyAtOnceMakeOneCall(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	inside, goOn := make(chan bool), make(chan bool)
	g.next = func(*http.Request) (*hook.Answer, bool) {
		inside <- true
		<-goOn
		return said(200, "x"), false
	}
	var all sync.WaitGroup
	first := ""
	all.Add(1)
	go func() { first = g.ask(anna, "k", "10"); all.Done() }()
	<-inside
	for i := 0; i < 10; i++ {
		equal(t, g.ask(anna, "k", "10"), "409 running: unknown ")
	}
	goOn <- true
	all.Wait()
	equal(t, first, "200 x ")
	equal(t, g.ask(anna, "k", "10"), "200 x true")
	equal(t, g.calls.Load(), 1)
}

// Not the status says whether the key is free.
func TestWhereNothingWasDoneTheKeyIsFree(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	status, free := 0, true
	g.next = func(*http.Request) (*hook.Answer, bool) { return said(status, ""), free }
	all := []int{200, 503, 429, 404, 401, 403, 502, 504}
	for _, status = range all {
		equal(t, g.ask(anna, "k", "10"), fmt.Sprint(status, "  "))
	}
	free = false
	for _, status = range all {
		equal(t, g.ask(anna, fmt.Sprint(status), "10"), fmt.Sprint(status, "  "))
		equal(t, g.ask(anna, fmt.Sprint(status), "10"), fmt.Sprint(status, "  true"))
	}
	equal(t, g.calls.Load(), 2*len(all))
	records(t, g, len(all))
}

// What next does not say: it has panicked.
func TestWhereItIsNotSaidTheKeyIsInDoubt(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	g.next = func(*http.Request) (*hook.Answer, bool) { panic("x") }
	func() {
		defer func() { equal(t, recover(), "x") }()
		g.ask(anna, "k", "10")
	}()
	equal(t, g.ask(anna, "k", "10"), "409 in-doubt: unknown ")
}

func records(t *testing.T, g *gate, want int) {
	t.Helper()
	_ = g.store.db.View(func(tx *bolt.Tx) error {
		equal(t, []any{tx.Bucket(byKey).Stats().KeyN, tx.Bucket(byKey).Sequence(), tx.Bucket(byTime).Stats().KeyN},
			[]any{want, want, want})
		return nil
	})
}

func TestWhoHangsUpGetsTheAnswerLater(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	g.next = func(r *http.Request) (*hook.Answer, bool) { return said(200, fmt.Sprint(r.Context().Err())), false }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g.ask(anna, "k", "10", func(r *http.Request) { *r = *r.WithContext(ctx) })
	equal(t, g.ask(anna, "k", "10"), "200 <nil> true")
}

func TestKeysGoWhenTheirTimeIsOver(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	for i := 0; i < 2500; i++ {
		id := hash(fmt.Sprint(i))
		rec := &record{State: begun, Expires: int64(i)}
		_, err := g.store.begin(id, rec, time.Unix(0, 0))
		equal(t, err, nil)
		if i == 20 {
			g.store.db.NoSync = true
		}
	}
	n, err := g.store.sweep(time.Unix(0, 1999))
	equal(t, []any{n, err}, []any{1000, nil})
	n, _ = g.store.sweep(time.Unix(0, 1999))
	equal(t, n, 1000)
	n, _ = g.store.sweep(time.Unix(0, 1999))
	equal(t, n, 0)
	records(t, g, 500)
	// One that is not swept yet is as if it were not there.
	// One that is swept while its request runs is not there again when that ends.
	long := &record{State: begun, Expires: 1}
	_, err = g.store.begin(hash("long"), long, time.Unix(0, 0))
	equal(t, err, nil)
	n, _ = g.store.sweep(time.Unix(0, 1))
	equal(t, []any{n, g.store.end(hash("long"), long), g.store.drop(hash("long"), long)}, []any{1, nil, nil})
	records(t, g, 500)
	had, err := g.store.begin(hash("2499"), &record{State: begun, Expires: 1 << 60}, time.Unix(0, 1<<50))
	equal(t, []any{had, err}, []any{(*record)(nil), nil})
	records(t, g, 500)
	g.store.max = 500
	equal(t, g.ask(anna, "k", "10"), "503 not-kept: not done ")
	equal(t, g.calls.Load(), 0)
}

func TestLargeAnswersAreGivenOnce(t *testing.T) {
	g := open(t, t.TempDir())
	defer g.Close()
	g.next = func(*http.Request) (*hook.Answer, bool) { return said(200, strings.Repeat("x", answerMax+1)), false }
	if a := g.ask(anna, "k", "10"); len(a) < answerMax {
		t.Fatal(len(a))
	}
	equal(t, g.ask(anna, "k", "10"), "409 not-kept: unknown ")
}

// The gate is killed between the call and its answer: a process of its own, which kills
// itself.
func TestAGateThatIsKilledLeavesItsKeysInDoubt(t *testing.T) {
	if dir := os.Getenv("IDEM_KILLED"); dir != "" {
		g := open(t, dir)
		g.ask(anna, "before", "1")
		g.next = func(*http.Request) (*hook.Answer, bool) {
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
		g.ask(anna, "k", "10")
		return
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestAGateThatIsKilled")
	c.Env = append(os.Environ(), "IDEM_KILLED="+dir)
	if err := c.Run(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatal(err)
	}
	g := open(t, dir)
	defer g.Close()
	equal(t, g.ask(anna, "before", "1"), "201 paid 1 true")
	equal(t, g.ask(anna, "k", "10"), "409 in-doubt: unknown ")
	equal(t, g.ask(anna, "k", "11"), "422 other-request: not done ")
	equal(t, g.ask(anna, "k", "10"), "409 in-doubt: unknown ")
	equal(t, g.calls.Load(), 0)
}
