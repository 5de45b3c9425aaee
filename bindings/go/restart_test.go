// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func askAtOnce(t *testing.T, c *Client, n int) int {
	var all sync.WaitGroup
	var failed atomic.Int32
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			var s string
			if err := c.Call(bg, "ECHO", "x", &s); err != nil || s != "x" {
				failed.Add(1)
			}
		}()
	}
	within(t, "calls", all.Wait)
	return int(failed.Load())
}

// untilStarted lets the story stop the domain and start it again.
func untilStarted(t *testing.T) {
	fmt.Println("stop now")
	for i := 0; i < 6000; i++ {
		if _, err := os.Stat("started"); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the domain was not started again")
}

func TestQuietlyGoesOnInTheNextDomain(t *testing.T) {
	c := client(t)
	equal(t, askAtOnce(t, c, 100), 0)
	untilStarted(t)
	askAtOnce(t, c, 20) // contexts notice
	for i := 0; i < 5; i++ {
		equal(t, askAtOnce(t, c, 200), 0)
	}
}

// Nobody knows of a subscription of the domain before.
func TestSubscriptionsOfTheDomainBeforeEnd(t *testing.T) {
	c := client(t)
	b, err := c.Subscribe("NEWS.*", "")
	check(t, err)
	untilStarted(t)
	within(t, "a subscription", func() {
		for range b.C {
		}
	})
	b.Close()
	b, err = c.Subscribe("NEWS.*", "")
	check(t, err)
	b.Close()
}

// A call in a transaction waits in its thread: it says what became of it, whichever
// domain has it.
func TestASessionGoesOnInTheNextDomain(t *testing.T) {
	c := client(t)
	sessions := make([]*session, 2)
	for i := range sessions {
		s, err := c.begin("test")
		check(t, err)
		defer s.end()
		sessions[i] = s
	}
	call := func(s *session, ms string) error {
		e, err := encode(ms)
		check(t, err)
		defer e.release()
		return s.call(bg, "SLEEP", e, nil)
	}
	out := make(chan error, 1)
	go func() { out <- call(sessions[0], "3000") }()
	for sessions[0].mu.TryLock() {
		sessions[0].mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	untilStarted(t)
	within(t, "the call of the domain before", func() {
		if err := <-out; !errors.Is(err, TPESYSTEM) && !errors.Is(err, TPESVCERR) &&
			!errors.Is(err, TPETIME) && !errors.Is(err, TPENOENT) {
			t.Errorf("%#v", err)
		}
	})
	within(t, "a call in the next domain", func() { check(t, call(sessions[1], "300")) })
}

// The process is stopped meanwhile, so it does not see that the domain was away: when
// it looks for the replies of its slow calls there is another domain.
func TestSlowCallsOfTheDomainBeforeEnd(t *testing.T) {
	c := client(t)
	c.paceOf("SLEEP").skip.Store(1 << 30) // by the shared context
	out := make(chan error, 5)
	for i := 0; i < cap(out); i++ {
		go func() { out <- c.Call(bg, "SLEEP", "3000", nil) }()
	}
	untilOut(t, c, out)
	untilStarted(t)
	within(t, "the slow calls", func() {
		for i := 0; i < cap(out); i++ {
			if err := <-out; !errors.Is(err, TPESYSTEM) && !errors.Is(err, TPESVCERR) &&
				!errors.Is(err, TPETIME) && !errors.Is(err, TPENOENT) {
				t.Error(err)
			}
		}
	})
	askAtOnce(t, c, 20) // the other contexts notice
	equal(t, askAtOnce(t, c, 200), 0)
}

// A context that has no descriptor in the next domain takes no calls until it has one: their
// replies would come, and nobody would see it.
func TestStaleContextsAreNotUsed(t *testing.T) {
	c := client(t)
	call := func() error {
		c.paceOf("SLEEP").skip.Store(0)
		return c.Call(bg, "SLEEP", "20", nil) // longer than a moment: the poller has to see it
	}
	check(t, call())
	untilStarted(t)
	lowestCopy.Store(1 << 30) // EINVAL, as EMFILE would be
	defer lowestCopy.Store(0)
	stale := func() (n int) {
		for _, q := range c.all {
			q.mu.Lock()
			if q.stale {
				n++
			}
			q.mu.Unlock()
		}
		return n
	}
	within(t, "a context notices", func() {
		for stale() == 0 {
			var e *Error
			if err := call(); err != nil && !errors.As(err, &e) {
				t.Fatalf("%#v", err)
			}
		}
	})
	lowestCopy.Store(0)
	for i := 0; i < 20; i++ {
		within(t, "a call", func() { check(t, call()) })
	}
	equal(t, stale(), 0)
}

// Numbers of calls begin anew in the next domain: one of a call that is out may be given again
// before anybody has seen that there is another domain. So nobody looks here but this test.
func TestANumberOfACallOfTheDomainBeforeIsGivenAgain(t *testing.T) {
	k, err := open(nil)
	check(t, err)
	s := &shared{conn: k, wake: make(chan struct{}, 1), state: polling, looked: time.Now()}
	c := client(t) // its paces
	call := func(svc, in string) error {
		e, err := encode(in)
		check(t, err)
		defer e.release()
		return s.call(bg, c.paceOf(svc), e, 0, false, nil)
	}
	out := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.waiting)
	}
	before, after := make(chan error, 1), make(chan error, 70)
	go func() { before <- call("SLEEP", "3000") }()
	for out() == 0 {
		time.Sleep(time.Millisecond)
	}
	untilStarted(t)
	sent := 0
	within(t, "the call of the domain before", func() {
		for ; sent < cap(after) && len(before) == 0; sent++ { // more than there are numbers at first
			go func() { after <- call("ECHO", "x") }()
			for out() < sent+2 && len(before) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		if err := <-before; !errors.Is(err, TPESYSTEM) || err.(*Error).NotDone {
			t.Errorf("%#v", err)
		}
	})
	equal(t, out(), sent)
	within(t, "those of this one", func() {
		for ; sent > 0; sent-- {
			for len(after) == 0 {
				s.look()
				time.Sleep(time.Millisecond)
			}
			check(t, <-after)
		}
	})
	close(s.ended) // there is no drive()
	s.mu.Lock()
	s.state = running
	s.mu.Unlock()
	s.close()
}
