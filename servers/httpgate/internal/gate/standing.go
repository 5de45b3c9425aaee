// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/hook"
)

// standing are the requests that last: streams and sockets. A caller was let in when it came; it
// stays for as long as it would be let in again, by the configuration in force: each one is
// looked at every `lookAtAll`, and all of them soon after a reload.
type standing struct {
	mu  sync.Mutex
	all map[*stander]struct{}
}

const lookAtAll = 10 * time.Second

// stander is one of them. end ends it, without waiting.
type stander struct {
	v      *served
	r      *http.Request
	who    *hook.Identity
	state  *state // by which it was looked at
	looked time.Time
	end    context.CancelFunc
}

// stands gives a request that lasts a ctx that ends when its caller may not stay; done()
// follows.
func (v *served) stands(r *http.Request, who *hook.Identity) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(r.Context())
	s := &stander{v: v, r: r, who: who, state: v.s, looked: time.Now(), end: cancel}
	l := &v.g.standing
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = map[*stander]struct{}{}
	}
	l.all[s] = struct{}{}
	return ctx, func() {
		l.mu.Lock()
		delete(l.all, s)
		l.mu.Unlock()
		cancel()
	}
}

// due are those that must be looked at.
func (l *standing) due(s *state, now time.Time) (some []*stander) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for x := range l.all {
		if x.state != s || now.Sub(x.looked) >= lookAtAll {
			x.state, x.looked = s, now
			some = append(some, x)
		}
	}
	return some
}

// watch looks after what lasts, until the gate stops.
func (g *Gate) watch() {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-g.stop:
			return
		case now := <-t.C:
			s := g.now.Load()
			for _, x := range g.standing.due(s, now) {
				if why := x.mayStay(s); why != nil {
					onewake.Logf("%s %s of %s ends: %v", x.r.Method, x.v.r.Path, who(x.who), why)
					x.end()
				}
			}
			g.events.forget(now)
		}
	}
}

func who(i *hook.Identity) string {
	if i == nil {
		return "nobody"
	}
	return i.Name
}

var (
	errNoRoute = errors.New("the configuration has another route, or none")
	errOther   = errors.New("its credentials are now somebody else's, or nobody's")
	errScope   = errors.New("a scope is missing")
)

// mayStay is why the caller would not be let in now; nil: it would, or that cannot be found
// out.
func (x *stander) mayStay(s *state) error {
	e := s.table.Find(x.r)
	if e == nil {
		return errNoRoute
	}
	was, is := x.v.r, e.Route
	if is.Method != was.Method || is.Path != was.Path || targetOf(is) != targetOf(was) || kindOf(is) != kindOf(was) {
		return errNoRoute
	}
	if len(is.Auth) == 0 {
		return nil // open to anybody
	}
	if x.who == nil {
		return errOther
	}
	now, err := s.parts.Identifier.Again(x.r, is.Auth, x.who)
	var refused *hook.Refused
	switch {
	case errors.As(err, &refused):
		return refused
	case err != nil:
		return nil
	case now.Key() != x.who.Key():
		return errOther
	}
	for _, want := range is.Scopes {
		if !contains(now.Scopes, want) {
			return errScope
		}
	}
	x.who = now // whose password has another hash now
	return nil
}
