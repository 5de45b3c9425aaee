// SPDX-License-Identifier: Apache-2.0

// Package ops is what operators see of a gate: figures of its routes, a line for each
// request.
package ops

import (
	"fmt"
	"math/bits"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are the figures of all routes, since the gate began. They outlive a reload.
type Stats struct {
	mu  sync.Mutex
	all map[string]*Route
}

// Buckets of times: 4 for each power of 2, from a microsecond up.
const buckets = 4 * 36

// Route has the figures of a route. All are atomic.
type Route struct {
	Method, Path string
	Requests     atomic.Int64
	Refused      atomic.Int64 // 4xx
	Unavailable  atomic.Int64 // 503, 429
	TimedOut     atomic.Int64 // 504
	Failed       atomic.Int64 // other 5xx
	times        [buckets]atomic.Int64
}

// NewStats makes them.
func NewStats() *Stats { return &Stats{all: map[string]*Route{}} }

// Route gives the figures of a route.
func (s *Stats) Route(method, path string) *Route {
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "" {
		method = "any"
	}
	key := method + " " + path
	if s.all[key] == nil {
		s.all[key] = &Route{Method: method, Path: path}
	}
	return s.all[key]
}

func bucketOf(d time.Duration) int {
	us := uint64(d.Microseconds())
	if us < 4 {
		return int(us)
	}
	n := bits.Len64(us) - 1 // us is at least 2^n
	i := 4*(n-1) + int(us>>(n-2)&3)
	if i >= buckets {
		i = buckets - 1
	}
	return i
}

// least is the shortest time of a bucket, in microseconds.
func least(i int) uint64 {
	if i < 4 {
		return uint64(i)
	}
	n := i/4 + 1
	return 1<<n + uint64(i%4)<<(n-2)
}

// Add counts a request.
func (r *Route) Add(status, code int, took time.Duration) {
	r.Requests.Add(1)
	switch {
	case status == 503 || status == 429:
		r.Unavailable.Add(1)
	case status == 504 || code == 13:
		r.TimedOut.Add(1)
	case status >= 500:
		r.Failed.Add(1)
	case status >= 400:
		r.Refused.Add(1)
	}
	r.times[bucketOf(took)].Add(1)
}

// Percentile is a time in which so many of 1000 requests were answered, at most a
// quarter too long.
func (r *Route) Percentile(of1000 int64) time.Duration {
	var all, n int64
	for i := range r.times {
		all += r.times[i].Load()
	}
	want := (all*of1000 + 999) / 1000
	for i := range r.times {
		if n += r.times[i].Load(); n >= want && n > 0 {
			return time.Duration(least(i+1)) * time.Microsecond
		}
	}
	return 0
}

// Write writes the figures to a file, a line for each route, its columns separated by
// tabs: `xadmin http` reads it.
func (s *Stats) Write(path string) error {
	s.mu.Lock()
	keys := make([]string, 0, len(s.all))
	for k := range s.all {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		r := s.all[k]
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Method, r.Path, r.Requests.Load(),
			r.Refused.Load(), r.Unavailable.Load(), r.TimedOut.Load(), r.Failed.Load(),
			r.Percentile(500).Microseconds(), r.Percentile(990).Microseconds())
	}
	s.mu.Unlock()
	next := path + ".new"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
