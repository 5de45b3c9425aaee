// SPDX-License-Identifier: Apache-2.0

package onewake

import "C"

import (
	"context"
	"sync"
	"time"
)

// requestContext ends when the handler returns, or the caller has given up. Most
// handlers never ask for it: it is made when they do.
type requestContext struct {
	until  time.Time // zero: no limit
	mu     sync.Mutex
	made   context.Context
	cancel context.CancelFunc
	over   bool
}

// contextFor is that of a request whose caller waits for so many ms.
func contextFor(ms C.long) *requestContext {
	c := new(requestContext)
	if ms >= 0 && ms <= 1<<40 {
		c.until = time.Now().Add(time.Duration(ms) * time.Millisecond)
	}
	return c
}

func (c *requestContext) need() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		if c.until.IsZero() {
			c.made, c.cancel = context.WithCancel(context.Background())
		} else {
			c.made, c.cancel = context.WithDeadline(context.Background(), c.until)
		}
		if c.over {
			c.cancel()
		}
	}
	return c.made
}

func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.made != nil {
		c.cancel()
	}
}

func (c *requestContext) Deadline() (time.Time, bool) { return c.until, !c.until.IsZero() }
func (c *requestContext) Done() <-chan struct{}       { return c.need().Done() }
func (c *requestContext) Err() error                  { return c.need().Err() }
func (c *requestContext) Value(key any) any           { return c.need().Value(key) }
