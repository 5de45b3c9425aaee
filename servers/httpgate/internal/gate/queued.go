// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"math/rand"
	"net/http"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/convert"
)

const (
	lookEvery  = 50 * time.Millisecond
	judgeEvery = time.Second // so long a reading is compared with
)

// queued knows the queue of a service, whoever calls it: so a request that would be
// taken out of it after its deadline is refused before it is put there.
//
// The estimate is low, so that none is refused that might do: the requests in the queue
// and those sent since, at the time that requests took lately, divided by the servers.
// Where all servers are in requests that take longer, these are given the same time again.
type queued struct {
	mu      sync.Mutex
	looking bool
	at      time.Time    // of the last reading
	now     onewake.Load // the last reading
	sent    int64        // since then
	base    onewake.Load // an earlier one, and when it was
	baseAt  time.Time
	usual   time.Duration // of a request
}

// take puts a reading in force.
func (q *queued) take(l onewake.Load, now time.Time) {
	served, took := l.Served-q.base.Served, l.Took-q.base.Took
	switch {
	case q.baseAt.IsZero() || served < 0 || took < 0: // the first one, or servers began anew
		q.base, q.baseAt = l, now
		if l.Served > 0 {
			q.usual = l.Took / time.Duration(l.Served)
		}
	case served > 0 && now.Sub(q.baseAt) >= judgeEvery:
		q.base, q.baseAt = l, now
		q.usual = took / time.Duration(served)
	}
	q.now, q.at, q.sent = l, now, 0
}

// wait is how long a request that is sent now waits at least.
func (q *queued) wait() time.Duration {
	n := q.now.Waiting + q.sent
	if q.now.Servers == 0 || n < q.now.Servers {
		return 0
	}
	return max(0, q.now.Busy-q.usual) + q.usual*time.Duration(n)/time.Duration(q.now.Servers)
}

// late is by how much a request that is sent now would be too late; 0: it may be sent.
// read() gives a reading.
func (q *queued) late(ctx context.Context, now time.Time, read func() (onewake.Load, error)) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.looking && now.Sub(q.at) >= lookEvery {
		q.looking = true
		q.mu.Unlock()
		l, err := read()
		q.mu.Lock()
		q.looking = false
		if err != nil {
			l = onewake.Load{} // the call says what is wrong
		}
		q.take(l, now)
	}
	limit := q.now.Usual
	if at, ok := ctx.Deadline(); ok {
		limit = at.Sub(now)
	}
	if over := q.wait() - limit; over > 0 && q.now.Servers > 0 {
		return over
	}
	q.sent++
	return 0
}

// inTime refuses a request whose service would take it out of its queue too late.
func (v *served) inTime(ctx context.Context, w *answering) *convert.Failure {
	if v.r.Service == "" || v.r.Async || v.r.Echo {
		return nil
	}
	over := v.queue.late(ctx, time.Now(), func() (l onewake.Load, err error) {
		client, done, err := v.g.client(w.who)
		if err != nil {
			return l, err
		}
		defer done()
		return client.Load(ctx, v.r.Service)
	})
	if over <= 0 {
		return nil
	}
	f := convert.Refuse(http.StatusServiceUnavailable, "so many requests wait for "+v.r.Service+
		" that this one would be served after its deadline")
	f.Retry = 1 + min(int(over/time.Second), 30) + rand.Intn(2)
	return f
}
