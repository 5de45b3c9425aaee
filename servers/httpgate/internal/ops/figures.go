// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Rates and percentiles are those of the last 10 to 20 seconds.
const window = 10 * time.Second

// mark is how a route was at a time.
type mark struct {
	at       time.Time
	requests int64
	times    [buckets]int64
}

func (r *Route) markNow(now time.Time) (m mark) {
	m.at, m.requests = now, r.requests.Load()
	for i := range r.times {
		m.times[i] = r.times[i].Load()
	}
	return m
}

// Recent is what a route did lately.
type Recent struct {
	Rate     float64       // requests a second
	P50, P99 time.Duration // at most a quarter too long; 0: there were none
}

// recent is since the mark before the last one. One goroutine at a time.
func (r *Route) recent(now, begun time.Time) (a Recent) {
	m := r.markNow(now)
	from := r.older
	if from.at.IsZero() {
		from.at = begun
	}
	if now.Sub(r.old.at) >= window {
		r.older, r.old = r.old, m
	}
	if s := now.Sub(from.at).Seconds(); s > 0 {
		a.Rate = float64(m.requests-from.requests) / max(s, 1)
	}
	for i := range m.times {
		m.times[i] -= from.times[i]
	}
	a.P50, a.P99 = percentile(&m.times, 500), percentile(&m.times, 990)
	return a
}

// percentile is a time in which so many of 1000 requests were answered.
func percentile(times *[buckets]int64, of1000 int64) time.Duration {
	var all, n int64
	for _, t := range times {
		all += t
	}
	want := (all*of1000 + 999) / 1000
	for i, t := range times {
		if n += t; n >= want && n > 0 {
			return time.Duration(least(i+1)) * time.Microsecond
		}
	}
	return 0
}

// About says what a gate is, for the head of the file.
type About struct {
	Name, Address string    // "": it has none, it does not listen
	Expires       time.Time // the end of its certificate; zero: it has none
}

// start is when the process has begun, in clock ticks since boot: with its number it
// tells it from a later one.
var start = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(text), ") ")
	if words := strings.Fields(rest); len(words) > 19 {
		return words[19]
	}
	return "0"
})

// Write writes the figures as a whole, columns separated by tabs
// (libndrx/observe/http.h): a line about the gate, one for each route, followed by one
// for each method and status.
func (s *Stats) Write(path string, about *About) error {
	now := time.Now()
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	var expires int64
	if !about.Expires.IsZero() {
		expires = about.Expires.Unix()
	}
	fmt.Fprintf(b, "gate\t1\t%d\t%s\t%d\t%d\t%s\t%s\n", os.Getpid(), start(), now.UnixMilli(), expires,
		cell(about.Name), cell(about.Address))
	written := map[*ends]bool{}
	for _, r := range s.sorted() {
		if r.write(b, r.recent(now, s.from)) && !written[r.ends] {
			written[r.ends] = true
			r.ends.write(b)
		}
	}
	err = b.Flush()
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(next, path)
}

// write is false for a route of a configuration that was refused.
func (r *Route) write(b *bufio.Writer, a Recent) bool {
	t, inForce := r.target.Load(), 1
	if t == nil {
		t, inForce = &Target{Kind: "removed"}, 0
		if r.requests.Load() == 0 && r.inFlight.Load() == 0 {
			return false
		}
	}
	fmt.Fprintf(b, "route\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%.0f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", cell(r.Method),
		cell(r.Path), t.Kind, cell(t.Name), inForce, r.inFlight.Load(), r.requests.Load(), a.Rate*1000,
		a.P50.Microseconds(), a.P99.Microseconds(), r.kinds[Refused].Load(), r.kinds[Broken].Load(),
		r.kinds[Shed].Load(), r.notDone.Load(), r.unknown.Load())
	return true
}

func (n *ends) write(b *bufio.Writer) {
	for _, s := range *n.all.Load() {
		fmt.Fprintf(b, "ended\t%s\t%d\t%d", s.method, s.status, s.micros.Load())
		for i := range s.times {
			fmt.Fprintf(b, "\t%d", s.times[i].Load())
		}
		fmt.Fprintln(b)
	}
}

// cell is a text that is one column.
func cell(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, text)
}
