// SPDX-License-Identifier: Apache-2.0

package out

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// host is what is known of one host that is called: whether it is left alone, and how
// many repetitions its requests have left.
type host struct {
	name    string
	breaker *gobreaker.TwoStepCircuitBreaker[any] // nil: none
	counts  counts
	mu      sync.Mutex
	tokens  float64
	share   float64
}

type counts struct {
	calls, failed, retried, refused atomic.Int64
}

const (
	// Repetitions that a host may have at once, when none was needed for a while.
	burst = 10
	// Of fewer requests a ratio says nothing.
	ratioFrom = 20
	window    = 10 * time.Second
)

// errLeftAlone: the breaker is open, nothing was sent.
var errLeftAlone = errors.New("the host has failed too often and is left alone for a while")

func newHost(name string, b Breaker, share float64) *host {
	h := &host{name: name, tokens: burst, share: share}
	if b.Failures <= 0 {
		return h
	}
	h.breaker = gobreaker.NewTwoStepCircuitBreaker[any](gobreaker.Settings{
		Name: name, MaxRequests: 1, Interval: window,
		Timeout: time.Duration(b.OpenFor * float64(time.Second)),
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.ConsecutiveFailures >= uint32(b.Failures) ||
				(b.Ratio > 0 && c.Requests >= ratioFrom &&
					float64(c.TotalFailures) >= b.Ratio*float64(c.Requests))
		},
	})
	return h
}

// enter asks for a request: done says whether the host has served it.
func (h *host) enter() (done func(served bool), err error) {
	h.counts.calls.Add(1)
	if h.breaker == nil {
		return h.count, nil
	}
	report, err := h.breaker.Allow()
	if err != nil {
		h.counts.refused.Add(1)
		return nil, errLeftAlone
	}
	return func(served bool) {
		h.count(served)
		report(served)
	}, nil
}

func (h *host) count(served bool) {
	if !served {
		h.counts.failed.Add(1)
	}
}

// earn: a call adds its share to the budget of repetitions.
func (h *host) earn() {
	h.mu.Lock()
	h.tokens = min(h.tokens+h.share, burst)
	h.mu.Unlock()
}

// spend takes one repetition out of the budget.
func (h *host) spend() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tokens < 1 {
		return false
	}
	h.tokens--
	h.counts.retried.Add(1)
	return true
}

// State of a host, for those who look.
type State struct {
	Host                            string
	Breaker                         string // closed, open, half-open, none
	Calls, Failed, Retried, Refused int64  // refused: by the breaker
}

func (h *host) state() State {
	s := State{Host: h.name, Breaker: "none"}
	if h.breaker != nil {
		s.Breaker = h.breaker.State().String()
	}
	s.Calls, s.Failed = h.counts.calls.Load(), h.counts.failed.Load()
	s.Retried, s.Refused = h.counts.retried.Load(), h.counts.refused.Load()
	return s
}
