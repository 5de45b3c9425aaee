// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"time"
)

// Identities that a route remembers; who is forgotten has its whole rate again.
const mostRates = 10000

// rates are requests per second of each identity: a bucket that holds a second's.
type rates struct {
	mu   sync.Mutex
	rate float64
	all  map[string]*bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newRates(rate int) *rates {
	return &rates{rate: float64(rate), all: map[string]*bucket{}}
}

func (l *rates) take(who string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.all[who]
	if b == nil {
		if len(l.all) >= mostRates {
			l.forget(now)
		}
		b = &bucket{left: l.rate, at: now}
		l.all[who] = b
	}
	b.left += now.Sub(b.at).Seconds() * l.rate
	if b.left > l.rate {
		b.left = l.rate
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// forget drops those whose buckets are full; none: all.
func (l *rates) forget(now time.Time) {
	for who, b := range l.all {
		if now.Sub(b.at) > time.Second {
			delete(l.all, who)
		}
	}
	if len(l.all) >= mostRates {
		l.all = map[string]*bucket{}
	}
}
