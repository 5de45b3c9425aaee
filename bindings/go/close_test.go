// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// within fails if fn does not return: then something waits for itself.
func within(t *testing.T, what string, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		fn()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		all := make([]byte, 1<<20)
		t.Fatalf("%s hangs\n%s", what, all[:runtime.Stack(all, true)])
	}
}

// Each caller hears of its last call that the client is closed, and what that means
// for the work: it was not begun, or nobody knows.
func TestCloseWhileManyCall(t *testing.T) {
	for round := 0; round < 20; round++ {
		c := client(t)
		var all sync.WaitGroup
		begun := make(chan struct{}, 40)
		for i := 0; i < 40; i++ {
			all.Add(1)
			go func(i int) {
				defer all.Done()
				begun <- struct{}{}
				for n := 0; ; n++ {
					var s string
					err := c.Call(bg, "ECHO", "x", &s)
					if i%4 == 0 {
						err = c.Send(bg, "ECHO", "x")
					}
					if err == nil {
						continue
					}
					if !errors.Is(err, ErrClosed) || !says(err, "not done", "not known") {
						t.Error(err)
					}
					return
				}
			}(i)
		}
		for i := 0; i < 40; i++ {
			<-begun
		}
		time.Sleep(time.Duration(round) * time.Millisecond / 4) // somewhere among the calls
		c.Close()
		within(t, "a call of a closed client", all.Wait)
	}
}

func says(err error, words ...string) bool {
	for _, w := range words {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

// The memory in C is gone: whatever path a call takes, it must see that first.
func TestCloseIsSeenOnEachPath(t *testing.T) {
	c := client(t)
	check(t, c.Call(bg, "ECHO", "x", nil))
	c.Close()
	c.Close()
	c.busy.Add(100) // as if many called at once: the shared context
	defer c.busy.Add(-100)
	_, errQueue := c.Enqueue(bg, "S", "Q", "x")
	_, errConv := c.Connect(bg, "CONV", nil, Ours)
	_, errSub := c.Subscribe("X", "")
	for what, err := range map[string]error{
		"call":      c.Call(bg, "ECHO", "x", nil),
		"send":      c.Send(bg, "ECHO", "x"),
		"post":      c.Post(bg, "X", nil),
		"enqueue":   errQueue,
		"connect":   errConv,
		"subscribe": errSub,
		"do":        c.Do(bg, func(context.Context) error { return nil }),
	} {
		if !errors.Is(err, ErrClosed) || !says(err, "not done") {
			t.Error(what, err)
		}
	}
}

// All contexts have a call out, and others wait for one of them.
func TestCloseWakesThoseThatWaitForAContext(t *testing.T) {
	c := client(t)
	n := len(c.all)
	c.most = 0
	var all sync.WaitGroup
	errs := make(chan error, n)
	for i := 0; i < n; i++ {
		q, err := c.quick.get(bg)
		check(t, err)
		defer c.quick.put(q)
	}
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			_, err := c.Enqueue(bg, "S", "Q", "x")
			errs <- err
		}()
	}
	waits := func() int {
		c.quick.mu.Lock()
		defer c.quick.mu.Unlock()
		return len(c.quick.waiting)
	}
	for waits() < n {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	within(t, "an operation that waits for a context", all.Wait)
	for i := 0; i < n; i++ {
		if err := <-errs; !errors.Is(err, ErrClosed) || !says(err, "not done") {
			t.Error(err)
		}
	}
}

// Who asks for the load is about to call: a call that is out does not hold it up.
func TestCloseAndLoadWaitForNoCall(t *testing.T) {
	c := client(t)
	for range c.all {
		q, err := c.quick.get(bg)
		check(t, err)
		defer c.quick.put(q)
	}
	within(t, "Load()", func() {
		l, err := c.Load(bg, "ECHO")
		check(t, err)
		equal(t, l.Servers > 0, true)
	})
	ctx, cancel := context.WithTimeout(bg, 10*time.Second)
	defer cancel()
	for range c.all {
		if _, err := c.Enqueue(ctx, "NONE", "Q", "x"); err == nil || ctx.Err() != nil {
			t.Error(err)
		}
	}
	c.Close()
	if _, err := c.Load(bg, "ECHO"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

func TestCloseSaysThatACallThatIsOutIsInDoubt(t *testing.T) {
	c := client(t)
	out := make(chan error, 3)
	for i := 0; i < cap(out); i++ {
		go func() { out <- c.Call(bg, "SLEEP", "300", nil) }()
	}
	untilOut(t, c, out)
	c.Close()
	for i := 0; i < cap(out); i++ {
		if err := <-out; !errors.Is(err, ErrClosed) || !says(err, "not known") {
			t.Error(err)
		}
	}
}

// untilOut waits until all calls whose outcomes go to `out` wait for their replies.
func untilOut(t *testing.T, c *Client, out chan error) {
	for isOut(c) < cap(out) {
		select {
		case err := <-out:
			t.Fatal("a call has ended: ", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// isOut is how many calls of a client wait for their replies.
func isOut(c *Client) (n int) {
	for _, k := range append([]*conn{c.shared.conn}, c.all...) {
		k.mu.Lock()
		n += len(k.waiting)
		k.mu.Unlock()
	}
	return n
}

// pollers is where the pollers of all quick contexts are.
func pollers() (frames []string) {
	all := make([]byte, 1<<20)
	for _, s := range strings.Split(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if strings.Contains(s, "(*conn).poll(") {
			frames = append(frames, s)
		}
	}
	return frames
}

// isPoller: does one wait in all of these functions?
func isPoller(at ...string) bool {
	for _, s := range pollers() {
		all := true
		for _, frame := range at {
			all = all && strings.Contains(s, frame)
		}
		if all {
			return true
		}
	}
	return false
}

// The poller holds the old descriptor, and waits for the context that goes over to
// another one.
func TestCloseOfAnOldDescriptorWaitsForNobody(t *testing.T) {
	c := client(t)
	check(t, c.Call(bg, "SLEEP", "1", nil)) // those of the tests before are served
	within(t, "anew()", func() {
		for !isRenewedBesideItsPoller(t, c) {
		}
	})
}

// isRenewedBesideItsPoller: false, the poller was not where it matters.
func isRenewedBesideItsPoller(t *testing.T, c *Client) bool {
	c.paceOf("SLEEP").skip.Store(0)
	out := make(chan error, 1)
	go func() { out <- c.Call(bg, "SLEEP", "300", nil) }()
	var k *conn
	for k == nil {
		for _, one := range c.all {
			if one.out.Load() > 0 {
				k = one
			}
		}
		select {
		case <-out: // by the shared context
			return false
		case <-time.After(time.Millisecond):
		}
	}
	// Later the poller is woken by the reply, and not by the time to nudge, after
	// which it looks elsewhere: 23 ms, then twice as long each time.
	time.Sleep(220 * time.Millisecond)
	for !isPoller("RawRead", "runtime_pollWait") && k.out.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	k.mu.Lock()
	for k.out.Load() > 0 && !isPoller("Mutex).Lock") {
		time.Sleep(time.Millisecond)
	}
	is := isPoller("RawRead", "(*conn).look", "Mutex).Lock")
	if is && k.anew() != nil {
		t.Error("no descriptor")
	}
	k.mu.Unlock()
	if err := <-out; is && !says(err, "not known") {
		t.Error(err)
	}
	return is
}

// A conn that is put back where no lock is taken is seen by who waits for one.
func TestManyTakeTurnsInAPool(t *testing.T) {
	var p pool
	for i := 0; i < 2; i++ {
		p.put(&conn{})
	}
	var all sync.WaitGroup
	for i := 0; i < 6; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			for k := 0; k < 20000; k++ {
				c := p.try()
				if c == nil && (k+i)%2 == 0 {
					ctx, stop := context.WithTimeout(bg, time.Duration(k%50)*time.Microsecond)
					c, _ = p.get(ctx)
					stop()
				} else if c == nil {
					c, _ = p.get(bg)
				}
				if c == nil {
					continue
				}
				if c.out.Add(1) != 1 {
					t.Error("two have it")
				}
				if k%7 == 0 {
					runtime.Gosched()
				}
				c.out.Add(-1)
				p.put(c)
			}
		}(i)
	}
	within(t, "a turn", all.Wait)
	equal(t, int(p.waits.Load()), 0)
	a, b := p.try(), p.try()
	if a == nil || b == nil || a == b || p.try() != nil {
		t.Errorf("%p %p", a, b)
	}
	got := make(chan *conn)
	wait := func() {
		go func() { c, _ := p.get(bg); got <- c }()
		for p.waits.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	wait()
	p.put(a)
	within(t, "who waits", func() {
		if c := <-got; c != a {
			t.Error("another one")
		}
	})
	wait()
	p.close()
	within(t, "who waits at a pool that is closed", func() {
		if c := <-got; c != nil {
			t.Error("there is one")
		}
	})
}
