// SPDX-License-Identifier: Apache-2.0

// Package ops is what operators see of a gate: figures of its routes, a line for each
// request.
package ops

import (
	"math/bits"
	"net/http"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are the figures of all routes, since the gate began. They outlive a reload.
type Stats struct {
	mu    sync.Mutex
	all   map[string]*Route
	paths map[string]*ends
	none  *Route // of requests that no route took
	from  time.Time
}

// Kind of a request's end, as an operator sorts them.
type Kind int

// The kinds of ends: each request has one.
const (
	Good    Kind = iota
	Refused      // 4xx
	Broken       // 5xx
	Shed         // 429 and 503: too much at once, or nobody serves
	kinds
)

// End says how a request ended.
type End struct {
	Method, Work string // Work: "not done", "unknown", ... where it failed
	Status       int
	Took         time.Duration
}

// Buckets of times: 4 for each power of 2, from a microsecond up, for percentiles; one
// for each power of 2, as the tables of the domain have them, for others to add up.
const (
	buckets = 4 * 36
	powers  = 32
)

// Target is what serves a route.
type Target struct {
	Kind string // service queue events static transactions echo none
	Name string
}

// Route has the figures of a route. All are atomic.
type Route struct {
	Method, Path     string
	target           atomic.Pointer[Target] // NULL: it is not in force
	inFlight         atomic.Int64
	requests         atomic.Int64
	kinds            [kinds]atomic.Int64
	notDone, unknown atomic.Int64
	times            [buckets]atomic.Int64
	ends             *ends
	older, old       mark // of the writer alone
}

// ends are the requests of a path, whatever their route: a reload may give a method a
// route of its own, and no pair of path and method may be counted twice.
type ends struct {
	all atomic.Pointer[[]*series] // replaced as a whole
	mu  sync.Mutex                // who replaces it
}

// series are the requests of a method that got a status.
type series struct {
	method string
	status int // 0: one of too many
	micros atomic.Int64
	times  [powers]atomic.Int64
}

// Beyond so many pairs of method and status a service makes them up.
const mostSeries = 64

// NewStats makes them.
func NewStats() *Stats {
	s := &Stats{all: map[string]*Route{}, paths: map[string]*ends{}, from: time.Now()}
	s.none = s.Route("", "-")
	s.none.target.Store(&Target{Kind: "none"})
	return s
}

// None has the figures of the requests that no route took.
func (s *Stats) None() *Route { return s.none }

// Route gives the figures of a route. InForce() says that it serves.
func (s *Stats) Route(method, path string) *Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "" {
		method = "any"
	}
	if s.paths[path] == nil {
		s.paths[path] = &ends{}
		s.paths[path].all.Store(&[]*series{})
	}
	key := path + " " + method
	if s.all[key] == nil {
		s.all[key] = &Route{Method: method, Path: path, ends: s.paths[path]}
	}
	return s.all[key]
}

// InForce says which routes serve from now on: figures of the others stay.
func (s *Stats) InForce(routes map[*Route]Target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		if t, ok := routes[r]; ok {
			r.target.Store(&t)
		} else if r != s.none {
			r.target.Store(nil)
		}
	}
}

func (s *Stats) sorted() []*Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make([]string, 0, len(s.all))
	for k := range s.all {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	all := make([]*Route, len(keys))
	for i, k := range keys {
		all[i] = s.all[k]
	}
	return all
}

func bucketOf(d time.Duration) int {
	us := uint64(d.Microseconds())
	if us < 4 {
		return int(us)
	}
	n := bits.Len64(us) - 1 // us is at least 2^n
	return min(4*(n-1)+int(us>>(n-2)&3), buckets-1)
}

// least is the shortest time of a bucket, in microseconds.
func least(i int) uint64 {
	if i < 4 {
		return uint64(i)
	}
	n := i/4 + 1
	return 1<<n + uint64(i%4)<<(n-2)
}

func powerOf(d time.Duration) int {
	return min(max(bits.Len64(uint64(d.Microseconds()))-1, 0), powers-1)
}

// Enter counts a request that begins; Add follows.
func (r *Route) Enter() { r.inFlight.Add(1) }

func kindOf(status int) Kind {
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return Shed
	case status >= 500:
		return Broken
	case status >= 400:
		return Refused
	}
	return Good
}

// Add counts a request that has ended.
func (r *Route) Add(e *End) {
	r.kinds[kindOf(e.Status)].Add(1)
	switch e.Work {
	case "not done":
		r.notDone.Add(1)
	case "unknown":
		r.unknown.Add(1)
	}
	s := r.ends.find(methodOf(e.Method), e.Status)
	s.micros.Add(e.Took.Microseconds())
	s.times[powerOf(e.Took)].Add(1)
	r.times[bucketOf(e.Took)].Add(1)
	r.requests.Add(1)
	r.inFlight.Add(-1)
}

// methodOf is the method as metrics name it: callers make up what they like.
func methodOf(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY":
		return method
	}
	return "_OTHER"
}

func (n *ends) find(method string, status int) *series {
	for _, s := range *n.all.Load() {
		if s.status == status && s.method == method {
			return s
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	all := *n.all.Load()
	for _, s := range all {
		if s.status == status && s.method == method {
			return s
		}
	}
	if len(all) == mostSeries {
		return all[len(all)-1]
	}
	s := &series{method: method, status: status}
	if len(all) == mostSeries-1 {
		s.method, s.status = "_OTHER", 0
	}
	all = append(append(make([]*series, 0, len(all)+1), all...), s)
	n.all.Store(&all)
	return s
}
