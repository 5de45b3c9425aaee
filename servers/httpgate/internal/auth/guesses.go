// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"net/http"
	"sync"
	"time"

	"onewake.example/httpgate/internal/hook"
)

// guesses holds up addresses that send wrong credentials: ten at once, then one a
// second. Others do not wait for them.
//
// An attempt is counted before its credentials are compared, so that many at the same
// time are no more than many one by one. Those of an address that could be too many, if
// all before them are wrong, wait for what becomes of these.
type guesses struct {
	mu  sync.Mutex
	all map[string]*guesser
}

// guesser is an address.
type guesser struct {
	left    float64 // wrong ones that it may send, at this time
	at      time.Time
	inHand  int // attempts that are compared
	waiting []chan struct{}
}

const (
	guessRate, guessBurst = 1, 10
	guessersMax           = 10000
	mostWaiting           = 1000 // of one address
)

var (
	errGuesses = &hook.Refused{Status: http.StatusTooManyRequests,
		Text: "too many wrong credentials from this address"}
	errWaiting = &hook.Refused{Status: http.StatusServiceUnavailable,
		Text: "too many credentials from this address at the same time"}
)

func newGuesses() *guesses {
	return &guesses{all: map[string]*guesser{}}
}

// get gives an address as it is now. Locked.
func (g *guesses) get(peer string) *guesser {
	now := time.Now()
	b := g.all[peer]
	if b == nil {
		if len(g.all) >= guessersMax {
			g.forget()
		}
		b = &guesser{left: guessBurst, at: now}
		g.all[peer] = b
	}
	b.left = min(guessBurst, b.left+guessRate*now.Sub(b.at).Seconds())
	b.at = now
	return b
}

// begin counts an attempt; end() follows. An error: it may not try, or ctx
// ended.
func (g *guesses) begin(ctx context.Context, peer string) error {
	g.mu.Lock()
	for {
		b := g.get(peer)
		if b.left-float64(b.inHand) >= 1 {
			b.inHand++
			g.mu.Unlock()
			return nil
		}
		if b.left < 1 {
			g.mu.Unlock()
			return errGuesses
		}
		if len(b.waiting) >= mostWaiting {
			g.mu.Unlock()
			return errWaiting
		}
		turn := make(chan struct{})
		b.waiting = append(b.waiting, turn)
		g.mu.Unlock()
		select {
		case <-turn:
		case <-ctx.Done():
			g.mu.Lock()
			if b := g.all[peer]; b != nil {
				b.leave(turn)
			}
			g.mu.Unlock()
			return ctx.Err()
		}
		g.mu.Lock()
	}
}

// end says what became of an attempt.
func (g *guesses) end(peer string, wrong bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	b := g.get(peer)
	b.inHand--
	if wrong {
		b.left--
	}
	n := 1
	if b.left < 1 {
		n = len(b.waiting) // they are refused
	}
	b.wake(n)
	if b.idle() {
		delete(g.all, peer)
	}
}

func (b *guesser) wake(n int) {
	for ; n > 0 && len(b.waiting) > 0; n-- {
		close(b.waiting[0])
		b.waiting = b.waiting[1:]
	}
}

// leave takes one out that waits, or gives its turn to the next one.
func (b *guesser) leave(turn chan struct{}) {
	for i, w := range b.waiting {
		if w == turn {
			b.waiting = append(b.waiting[:i], b.waiting[i+1:]...)
			return
		}
	}
	b.wake(1)
}

func (b *guesser) unused() bool { return b.inHand == 0 && len(b.waiting) == 0 }

func (b *guesser) idle() bool { return b.unused() && b.left >= guessBurst }

// forget makes room: those that have sent nothing wrong for some time, then any.
func (g *guesses) forget() {
	for peer, b := range g.all {
		if b.unused() && (time.Since(b.at).Seconds()*guessRate >= guessBurst || len(g.all) >= guessersMax) {
			delete(g.all, peer)
		}
	}
}
