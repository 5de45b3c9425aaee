// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"sync/atomic"
	"time"
)

// bulkhead lets so many calls of a route out at once, and so many more wait, so that
// a slow service fills its own places only. Who could not be served before its
// deadline is refused at once: before the queue, not after.
type bulkhead struct {
	places  chan struct{}
	most    int64
	waiting atomic.Int64
	usual   atomic.Int64 // nanoseconds of a call, smoothed
}

func newBulkhead(places, waiting int) *bulkhead {
	return &bulkhead{places: make(chan struct{}, places), most: int64(waiting)}
}

// enter takes a place. False: there is none; leave() follows true.
func (b *bulkhead) enter(ctx context.Context) bool {
	select {
	case b.places <- struct{}{}:
		return true
	default:
	}
	n := b.waiting.Add(1)
	defer b.waiting.Add(-1)
	if n > b.most || b.late(ctx, n) {
		return false
	}
	select {
	case b.places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// late: would the n-th that waits get its place after its deadline?
func (b *bulkhead) late(ctx context.Context, n int64) bool {
	at, ok := ctx.Deadline()
	usual := b.usual.Load()
	if !ok || usual == 0 {
		return false
	}
	wait := time.Duration(usual * n / int64(cap(b.places)))
	return time.Now().Add(wait).After(at)
}

// leave gives the place back after a call that took so long.
func (b *bulkhead) leave(took time.Duration) {
	old := b.usual.Load()
	if old == 0 {
		old = int64(took)
	}
	b.usual.Store(old + (int64(took)-old)/8) // a lost race loses one sample
	<-b.places
}
