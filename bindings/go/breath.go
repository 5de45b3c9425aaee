// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"sync/atomic"
	"time"
)

// The time between two breaths.
const aBreath = 6 * time.Millisecond

// breath says when a goroutine that makes one call after the other, each in its
// thread, goes through Go's scheduler: one that does not for 10 ms is taken for
// stuck, and for the next milliseconds a thread of the runtime wakes every 20 us to
// see about it, on the CPU of a server that looks for requests.
type breath struct {
	calls int
	since time.Time
}

// isDue: of one goroutine.
func (b *breath) isDue() bool {
	if b.calls++; b.calls&63 != 0 {
		return false
	}
	now := time.Now()
	if now.Sub(b.since) < aBreath {
		return false
	}
	b.since = now
	return true
}

// breathOfAll is that of all threads that serve.
type breathOfAll struct {
	calls atomic.Uint32
	since atomic.Int64
}

func (b *breathOfAll) isDue() bool {
	if b.calls.Add(1)&63 != 0 {
		return false
	}
	now, since := time.Now().UnixNano(), b.since.Load()
	return now-since >= int64(aBreath) && b.since.CompareAndSwap(since, now)
}
