// SPDX-License-Identifier: Apache-2.0

package onewake

/*
#include "bridge.h"
*/
import "C"

import (
	"context"
	"sync"
	"time"
)

// requestContext ends when the handler returns, or the caller has given up. Most
// handlers never ask for it: it is made when they do.
type requestContext struct {
	left, since C.long // of gow_served
	trace       Trace
	mu          sync.Mutex
	made        context.Context
	cancel      context.CancelFunc
	over        bool
}

func (c *requestContext) need() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made, c.cancel = untilGivenUp(c.left, C.gow_coarse()-c.since)
		if c.over {
			c.cancel()
		}
	}
	return c.made
}

// untilGivenUp is a ctx with the deadline of a caller that waits for `left` ms, `ago`
// ms ago; -1: for ever.
func untilGivenUp(left, ago C.long) (context.Context, context.CancelFunc) {
	if left < 0 || left > 1<<40 {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), time.Duration(left-ago)*time.Millisecond)
}

func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	if c.made != nil {
		c.cancel()
	}
}

func (c *requestContext) Deadline() (time.Time, bool) { return c.need().Deadline() }
func (c *requestContext) Done() <-chan struct{}       { return c.need().Done() }
func (c *requestContext) Err() error                  { return c.need().Err() }
func (c *requestContext) Value(key any) any {
	if _, ok := key.(traceKey); ok {
		return c.trace
	}
	return c.need().Value(key)
}
