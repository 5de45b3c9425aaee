// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"sync"

	"golang.org/x/time/rate"
)

// guesses holds up addresses that send wrong credentials: ten at once, then one a
// second. Others do not wait for them.
type guesses struct {
	mu   sync.Mutex
	last map[string]*rate.Limiter
}

const (
	guessRate, guessBurst = 1, 10
	guessersMax           = 10000
)

func newGuesses() *guesses {
	return &guesses{last: map[string]*rate.Limiter{}}
}

// may it try?
func (g *guesses) may(peer string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.last[peer]
	if b != nil && b.Tokens() >= guessBurst {
		delete(g.last, peer)
		return true
	}
	return b == nil || b.Tokens() >= 1
}

func (g *guesses) wrong(peer string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.last[peer]
	if b == nil {
		if len(g.last) >= guessersMax {
			g.forget()
		}
		b = rate.NewLimiter(guessRate, guessBurst)
		g.last[peer] = b
	}
	b.Allow()
}

func (g *guesses) forget() {
	for peer, b := range g.last {
		if b.Tokens() >= guessBurst || len(g.last) >= guessersMax {
			delete(g.last, peer)
		}
	}
}
