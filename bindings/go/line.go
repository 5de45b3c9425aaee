// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// line has the calls of a client that wait for room in the queue of a service: they are
// sent in the order in which they came. A request that a full queue refuses costs as much
// as one that is sent, so who waits tries when it has a turn: one for each call of the
// client that ends, a second one for each growEvery of them, and one each lookForRoom, as
// others may have filled the queue, and made room.
//
// `mu` guards all but `n`, which says whether somebody waits. A turn is given by taking the
// call out of `waiting` and closing its channel; a call that ends gives the next one, so no
// turn is lost.
type line struct {
	n       atomic.Int32
	mu      sync.Mutex
	waiting list.List // of *inLine, by their numbers
	last    uint64    // number that was given
	ended   int
	timer   *time.Timer // runs while somebody waits
}

type inLine struct {
	turn   chan struct{} // closed: it has its turn, or
	over   bool          // it has waited until `latest`
	latest time.Time
	number uint64
}

const (
	lookForRoom = 2 * time.Millisecond
	growEvery   = 16
)

// wait waits for a turn. The number is that of the call in line: it gets one, unless it has had
// a turn and was refused again; 0: it was refused before anybody waited, and is the first. False:
// ctx or the patience of the call has ended.
func (l *line) wait(ctx context.Context, latest time.Time, again bool, number *uint64) bool {
	w := &inLine{turn: make(chan struct{}), latest: latest}
	l.mu.Lock()
	if !again {
		l.last++
		*number = l.last
	}
	w.number = *number
	e := l.put(w)
	if l.n.Add(1) == 1 {
		l.look()
	}
	l.mu.Unlock()
	select {
	case <-w.turn:
		return !w.over
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.turn: // meanwhile
	default:
		l.take(e)
	}
	return false
}

// put puts a call in line, at its place. Locked.
func (l *line) put(w *inLine) *list.Element {
	e := l.waiting.Back()
	for e != nil && e.Value.(*inLine).number > w.number {
		e = e.Prev()
	}
	if e == nil {
		return l.waiting.PushFront(w)
	}
	return l.waiting.InsertAfter(w, e)
}

// take takes out a call. Locked.
func (l *line) take(e *list.Element) *inLine {
	l.n.Add(-1)
	return l.waiting.Remove(e).(*inLine)
}

// give gives a turn. Locked.
func (l *line) give() {
	if e := l.waiting.Front(); e != nil {
		close(l.take(e).turn)
	}
}

// done: a call of the service has ended, so its queue has perhaps room.
func (l *line) done() {
	if l.n.Load() == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.give()
	if l.ended++; l.ended%growEvery == 0 {
		l.give()
	}
}

// look gives turns also while no call ends. Locked.
func (l *line) look() {
	if l.timer == nil {
		l.timer = time.AfterFunc(lookForRoom, l.looks)
		return
	}
	l.timer.Reset(lookForRoom)
}

func (l *line) looks() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e, now := l.waiting.Front(), time.Now(); e != nil && now.After(e.Value.(*inLine).latest); e = l.waiting.Front() {
		w := l.take(e)
		w.over = true
		close(w.turn)
	}
	l.give()
	if l.waiting.Len() > 0 {
		l.look()
	}
}
