// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"testing"
	"time"

	onewake "onewake.example/go"
)

// at gives a deadline so long after now.
func at(now time.Time, d time.Duration) context.Context {
	ctx, cancel := context.WithDeadline(context.Background(), now.Add(d))
	context.AfterFunc(ctx, cancel)
	return ctx
}

func TestWhoWouldWaitBeyondItsDeadlineIsNotSent(t *testing.T) {
	now := time.Now()
	l := onewake.Load{Servers: 2, Served: 10, Took: 10 * time.Second, Waiting: 8, Busy: 1, Usual: 3 * time.Second}
	read := func() (onewake.Load, error) { return l, nil }
	q := &queued{}
	if over := q.late(at(now, 3*time.Second), now, read); over != time.Second { // 8 requests, 2 servers: 4 s
		t.Error(over)
	}
	if q.late(context.Background(), now, read) == 0 {
		t.Error("without a deadline the usual time-out counts")
	}
	// Those that were sent since the reading count.
	for i, want := range []bool{true, true, true, false} {
		if (q.late(at(now, 5*time.Second+time.Millisecond), now, read) == 0) != want {
			t.Error(i)
		}
	}
	// A second later requests are quick.
	now = now.Add(judgeEvery)
	l.Served, l.Took = 1010, 11*time.Second
	if q.late(at(now, time.Second), now, read) != 0 || q.usual != time.Millisecond {
		t.Error(q.usual)
	}
	// All servers hang.
	now = now.Add(lookEvery)
	l.Busy = 10 * time.Second
	if q.late(at(now, time.Second), now, read) == 0 {
		t.Error("sent to servers that hang")
	}
}

// One slow request does not make those behind it slow.
func TestASlowRequestCountsOnce(t *testing.T) {
	now := time.Now()
	l := onewake.Load{Servers: 1, Served: 1000, Took: 5 * time.Second, Waiting: 7, Busy: 10 * time.Second}
	read := func() (onewake.Load, error) { return l, nil }
	q := &queued{}
	if over := q.late(at(now, 60*time.Second), now, read); over != 0 {
		t.Error(over)
	}
	if q.late(at(now, 9*time.Second), now, read) == 0 {
		t.Error("sent behind a request that takes longer than there is time")
	}
}

func TestOnlyWhatIsKnownIsRefused(t *testing.T) {
	now := time.Now()
	for i, l := range []onewake.Load{
		{}, {Waiting: 1000, Servers: 4}, // nothing was served yet
		{Waiting: 3, Servers: 4, Served: 1, Took: time.Hour, Busy: time.Hour}, // one more is served at once
	} {
		q := &queued{}
		if q.late(at(now, time.Second), now, func() (onewake.Load, error) { return l, nil }) != 0 {
			t.Error(i)
		}
	}
	q := &queued{}
	busy := onewake.Load{Waiting: 100, Servers: 1, Served: 1, Took: time.Hour}
	if q.late(at(now, time.Second), now, func() (onewake.Load, error) { return busy, errors.New("x") }) != 0 {
		t.Error("refused without a reading")
	}
}
