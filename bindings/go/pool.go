// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"context"
	"sync"
	"sync/atomic"
)

// pool lends conns to one goroutine each. The one that was returned last is lent
// first: its memory is warm, and the library lets only few contexts look for
// replies before they sleep.
//
// One conn, that was returned when `hot` was empty, lies there, so that a goroutine
// that calls alone takes no lock. Who waits counts itself in `waits` before it looks
// at `hot` for the last time, and who puts one there looks at `waits` afterwards: one
// of them sees the other.
type pool struct {
	hot     atomic.Pointer[conn]
	waits   atomic.Int32
	mu      sync.Mutex
	free    []*conn
	waiting []chan *conn // closed: there will be none
	closed  bool
}

// try gives a conn, nil if none is free.
func (p *pool) try() (c *conn) {
	if c = p.hot.Swap(nil); c != nil {
		return c
	}
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		c = p.free[n-1]
		p.free = p.free[:n-1]
	}
	p.mu.Unlock()
	return c
}

func (p *pool) put(c *conn) {
	if p.hot.CompareAndSwap(nil, c) && (p.waits.Load() == 0 || !p.hot.CompareAndSwap(c, nil)) {
		return
	}
	p.mu.Lock()
	switch {
	case p.closed:
	case len(p.waiting) > 0:
		p.waiting[0] <- c
		p.waiting = p.waiting[1:]
		p.waits.Add(-1)
	default:
		p.free = append(p.free, c)
	}
	p.mu.Unlock()
}

// close ends the waiting for conns: from now on there is none.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.waiting {
		close(w)
	}
	p.waits.Store(0)
	p.hot.Store(nil)
	p.free, p.waiting, p.closed = nil, nil, true
}

// get waits for one; nil: the pool is closed.
func (p *pool) get(ctx context.Context) (*conn, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, nil
	}
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.waits.Add(1)
	if c := p.hot.Swap(nil); c != nil {
		p.waits.Add(-1)
		p.mu.Unlock()
		return c, nil
	}
	ch := make(chan *conn, 1)
	p.waiting = append(p.waiting, ch)
	p.mu.Unlock()
	select {
	case c := <-ch:
		return c, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	for i, w := range p.waiting {
		if w == ch {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.waits.Add(-1)
			p.mu.Unlock()
			return nil, ctx.Err()
		}
	}
	p.mu.Unlock()
	if c := <-ch; c != nil { // it came meanwhile
		p.put(c)
	}
	return nil, ctx.Err()
}
