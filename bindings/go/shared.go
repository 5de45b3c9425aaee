// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
#include <atmi.h>
*/
import "C"

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// shared is the context of calls that are out at the same time. One goroutine,
// drive(), sends what callers ask, in turns: all requests that have come since the
// last turn go down with one crossing, and the replies that are there come up with
// it. A caller crosses nothing, it sleeps at a channel.
//
// `mu` is held for a turn. `q` guards what callers and drive() hand over, for
// moments; who has mu may take q. Another descriptor is put in place with both held,
// so who has one of them may use it. The memory in C is freed when `shut` has been
// seen with q held, and `closed` with mu held. The states:
//
//	running	drive() will see what is in `asks`
//	idle	nothing is out, it sleeps at `wake`
//	polling	it sleeps in Go's poller, for the descriptor
//
// drive() alone leaves running, with mu and q held and `asks` empty; whoever adds to
// `asks` first makes it running again. While it polls a call whose reply is not
// expected within a moment is sent by its caller: the descriptor is on guard.
type shared struct {
	*conn
	q       sync.Mutex
	state   state
	shut    bool
	asks    []*pending
	batch   []*pending // of the turn; drive() alone
	wake    chan struct{}
	hopeful int       // calls out whose replies may come in a moment; under mu
	looked  time.Time // when lost messages were last looked for
	due     time.Time // the poller looks then at the latest; zero: nothing says when. Under mu
}

type state int

const (
	running state = iota
	idle
	polling
)

// request is what a caller asks.
type request struct {
	to        *pace // the service
	e         *encoder
	ms, flags C.long
	hope      *pace // the same, while its reply may come within a moment
}

const (
	lookFor  = 30                    // microseconds, before a thread sleeps for a reply
	lookLost = 20 * time.Millisecond // between looks for what got lost
)

func openShared(as *caller) (*shared, error) {
	k, err := open(as)
	if err != nil {
		return nil, err
	}
	c := &shared{conn: k, wake: make(chan struct{}, 1), looked: time.Now()}
	go c.drive()
	return c, nil
}

func (c *shared) close() {
	c.mu.Lock()
	c.q.Lock()
	if c.shut {
		c.q.Unlock()
		c.mu.Unlock()
		return
	}
	c.shut, c.closed = true, true
	for _, p := range c.asks {
		p.finishClosed(unsent)
	}
	c.asks = nil
	was := c.state
	c.state = running
	c.q.Unlock()
	for cd, p := range c.waiting {
		delete(c.waiting, cd)
		p.finishClosed(inHand)
	}
	c.hopeful = 0
	file := c.file
	c.mu.Unlock()
	if was == idle {
		c.wake <- struct{}{}
	}
	file.Close() // wakes it, too
	<-c.ended
	c.free()
}

// ---- callers ----

// submit hands a request over; p.done follows. False: the client is closed.
func (c *shared) submit(p *pending) bool {
	c.q.Lock()
	for !c.shut {
		noReply := p.flags&C.TPNOREPLY != 0
		if p.hope == nil && (c.state == polling || c.state == idle && noReply) {
			c.q.Unlock()
			if c.sendNow(p, noReply) {
				return true
			}
			c.q.Lock()
			continue
		}
		was := c.state
		c.state = running
		c.asks = append(c.asks, p)
		if was == running {
			c.setWanted(1)
		}
		if was == polling {
			c.rouse(-time.Second)
		}
		c.q.Unlock()
		if was == idle {
			c.wake <- struct{}{}
		}
		return true
	}
	c.q.Unlock()
	return false
}

// sendNow sends a request while drive() does nothing. False: it does something.
func (c *shared) sendNow(p *pending, noReply bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.q.Lock()
	may := c.state == polling || c.state == idle && noReply
	c.q.Unlock()
	if !may || c.closed {
		return false
	}
	o := &c.g.out
	r := C.gow_call(c.number(), p.to.number(), p.e.in(), p.ms, -1, p.flags)
	if r == 1 {
		r = o.cd
	}
	c.sent(p, r, o)
	return true
}

func (c *shared) setWanted(n int32) {
	atomic.StoreInt32((*int32)(unsafe.Pointer(&c.g.wanted)), n)
}

// sleeps: the thread of drive() sleeps for a reply, and will not see a request
// before that has come.
func (c *shared) sleeps() bool {
	c.q.Lock()
	defer c.q.Unlock()
	return !c.shut && atomic.LoadInt32((*int32)(unsafe.Pointer(&c.g.sleeps))) != 0
}

// call makes a call beside others. It waits in line while the queue of the service is full:
// no thread does, and calls of other services go on. hopes: the reply may come within a moment.
func (c *shared) call(ctx context.Context, s *pace, e *encoder, flags C.long, hopes bool, out any) error {
	defer s.line.done()
	svc, latest, again, number := s.service, time.Time{}, false, uint64(0)
	for {
		if again || s.line.n.Load() > 0 {
			if latest.IsZero() {
				latest = time.Now().Add(patience)
			}
			if !s.line.wait(ctx, latest, again, &number) && ctx.Err() == nil {
				return &Error{Code: TPETIME, Service: svc, NotDone: true,
					Text: "the queue of the service stayed full"}
			}
		}
		ms, err := limit(ctx)
		if err != nil {
			return expired(ctx, svc)
		}
		p := pendings.Get().(*pending)
		p.name, p.cd = svc, 0
		p.request = request{to: s, e: e, ms: ms, flags: flags | C.TPNOBLOCK}
		if hopes {
			p.hope = s
		}
		if !c.submit(p) {
			return notBegun(svc)
		}
		if !c.await(ctx, p) {
			return overtaken(ctx, svc)
		}
		if err = p.take(ctx, out); !isFull(err) {
			return err
		}
		again = true
	}
}

// await waits for the outcome. False: ctx has ended, the call is given up.
func (c *shared) await(ctx context.Context, p *pending) bool {
	gone := ctx.Done()
	if gone == nil {
		<-p.done
		return true
	}
	select {
	case <-p.done:
		return true
	case <-gone:
		c.forget(p)
		return false
	}
}

// forget gives up a call, wherever it is: not sent, out, or answered.
func (c *shared) forget(p *pending) {
	c.mu.Lock()
	c.q.Lock()
	for i, a := range c.asks {
		if a == p {
			c.asks = append(c.asks[:i], c.asks[i+1:]...)
			break
		}
	}
	c.q.Unlock()
	if c.waiting[p.cd] == p {
		c.remove(p, false)
		if !c.closed {
			C.gow_cancel(c.g, C.int(p.cd))
		}
	}
	c.mu.Unlock()
	select {
	case <-p.done:
		p.release()
	default:
	}
}

// ---- drive() ----

func (c *shared) drive() {
	defer close(c.ended)
	for {
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			return
		}
		n, more := c.fetch()
		switch {
		case n > 0 || c.hopeful > 0:
			c.turn(n, more)
			c.mu.Unlock()
			runtime.Gosched() // callers whose replies have come may ask again
		case len(c.waiting) > 0:
			c.mu.Unlock()
			c.sleep()
		default:
			rests := c.rest(idle)
			c.mu.Unlock()
			if rests {
				<-c.wake
			}
		}
	}
}

// rest leaves the state running, if nobody has asked meanwhile. Locked.
func (c *shared) rest(s state) bool {
	c.q.Lock()
	defer c.q.Unlock()
	if len(c.asks) > 0 || c.shut {
		return false
	}
	c.state = s
	return true
}

// fetch takes requests into the batch: how many, and are there more? Locked.
func (c *shared) fetch() (int, bool) {
	c.q.Lock()
	n := len(c.asks)
	if n > C.GOW_ASKS {
		n = C.GOW_ASKS
	}
	c.batch = append(c.batch[:0], c.asks[:n]...)
	left := copy(c.asks, c.asks[n:])
	for i := left; i < len(c.asks); i++ {
		c.asks[i] = nil
	}
	c.asks = c.asks[:left]
	c.setWanted(0)
	c.q.Unlock()
	asks := unsafe.Slice(c.g.asks, n)
	for i, p := range c.batch {
		a := &asks[i]
		a.svc, a.in, a.ms, a.flags = p.to.name, p.e.in(), p.ms, p.flags
		a.spare, p.spare = p.spare, C.struct_gow_spare{}
	}
	return n, left > 0
}

// turn sends the batch, and hands out the replies that are there. If there are
// none it waits for a moment, as long as nobody wants something. Locked.
func (c *shared) turn(n int, more bool) {
	hopes := c.hopeful
	for _, p := range c.batch {
		if p.hope != nil {
			hopes++
		}
	}
	usec := C.long(0)
	if hopes > 0 && !more {
		usec = lookFor
	}
	got := int(C.gow_turn(c.g, C.int(n), usec, moment))
	asks := unsafe.Slice(c.g.asks, n)
	for i, p := range c.batch {
		c.sent(p, asks[i].r, &asks[i].out)
	}
	c.handAll(got)
	wanted := atomic.LoadInt32((*int32)(unsafe.Pointer(&c.g.wanted))) != 0
	if usec > 0 && got == 0 && !wanted {
		for _, p := range c.waiting {
			c.despair(p, false)
		}
	}
	if now := time.Now(); now.Sub(c.looked) > lookLost {
		c.drain()
	}
}

// sent: the library gave a request descriptor `r`; 0: it has no reply. Locked.
func (c *shared) sent(p *pending, r C.int, out *C.struct_gow_out) {
	if r <= 0 {
		p.finish(out)
		return
	}
	p.cd = int(r)
	if old := c.waiting[p.cd]; old != nil { // of the domain before
		var gone C.struct_gow_out
		C.gow_gone(&gone)
		c.remove(old, false)
		old.finish(&gone)
	}
	c.waiting[p.cd] = p
	if p.hope != nil {
		c.hopeful++
	}
}

// despair: the reply of p is not expected in a moment any more. Locked.
func (c *shared) despair(p *pending, came bool) {
	if p.hope != nil {
		p.hope.note(came)
		p.hope = nil
		c.hopeful--
	}
}

func (c *shared) remove(p *pending, came bool) {
	delete(c.waiting, p.cd)
	c.despair(p, came)
}

func (c *shared) handAll(n int) {
	outs := unsafe.Slice(c.g.outs, n)
	for i := range outs {
		c.hand(&outs[i])
	}
}

func (c *shared) hand(out *C.struct_gow_out) {
	p := c.waiting[int(out.cd)]
	if p == nil {
		C.gow_release(out.buf, out.fields)
		return
	}
	c.remove(p, true)
	p.finish(out)
}

// drain hands out what has come, and calls whose time is over; the descriptor is on
// guard then. How long nothing need be done. Locked.
func (c *shared) drain() time.Duration {
	c.looked = time.Now()
	for {
		var ms C.int
		c.handAll(int(C.gow_drain(c.g, &ms)))
		if ms > 0 {
			return time.Duration(ms) * time.Millisecond
		}
		if ms < 0 && !c.renew() {
			return time.Second
		}
	}
}

// renew: the domain was shut down, and perhaps started again. Calls that the
// context does not know any more are lost. False: it does not run. Locked.
func (c *shared) renew() bool {
	var gone, out C.struct_gow_out
	for _, p := range c.waiting {
		r := C.gow_fetch(c.g, C.int(p.cd), &out)
		if r == 1 {
			continue
		}
		if r == 0 || out.err == C.TPESVCFAIL || out.err == C.TPESVCERR || out.err == C.TPETIME {
			c.hand(&out)
			continue
		}
		C.gow_gone(&gone)
		c.remove(p, false)
		p.finish(&gone)
	}
	if C.gow_anew(c.g) == 0 {
		old := c.file
		c.q.Lock() // submit() reads the file with q alone
		err := c.copyDescriptor()
		c.q.Unlock()
		if err == nil {
			c.due = time.Time{}
			retire(old)
			return true
		}
	}
	for _, p := range c.waiting {
		C.gow_gone(&gone)
		c.remove(p, false)
		p.finish(&gone)
	}
	return false
}

// sleep sleeps in Go's poller until the descriptor is readable, or it is time to
// look, or somebody asks for something. The poller reports that a descriptor has
// become readable, not that it is: so each look is made inside.
func (c *shared) sleep() {
	c.mu.Lock()
	file, raw, closed := c.file, c.raw, c.closed
	c.mu.Unlock()
	if closed {
		return
	}
	err := raw.Read(func(uintptr) bool { return c.look() })
	c.q.Lock()
	c.state = running
	c.q.Unlock()
	c.mu.Lock()
	same := c.file == file && !c.closed
	if same {
		c.due = time.Time{}
		_ = file.SetReadDeadline(c.due)
	}
	c.mu.Unlock()
	if same && err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		time.Sleep(time.Millisecond) // no descriptor to wait for
	}
}

// look hands out what has come. True: there is something to do.
func (c *shared) look() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.q.Lock()
	c.state = running
	c.q.Unlock()
	if c.closed {
		return true
	}
	after := c.drain()
	if len(c.waiting) == 0 {
		return true
	}
	c.rouseBy(after) // before the state: who changes that makes it earlier
	return !c.rest(polling)
}

// rouseBy lets the poller look when so much time has passed, or earlier: a new time costs
// more than a look for nothing. Locked.
func (c *shared) rouseBy(after time.Duration) {
	if at := time.Now().Add(after); c.due.IsZero() || at.Before(c.due) {
		c.due = at
		c.rouse(after)
	}
}
