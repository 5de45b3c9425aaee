// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"onewake.example/httpgate/internal/config"
)

func TestWhoGuessesIsHeldUpAlone(t *testing.T) {
	key, line, _ := NewKey("shop")
	a := make1(t, config.Auth{Kind: "apikey", File: file(t, line+"\n")})
	try := func(peer, key string) int {
		_, err := a.Identify(request(func(r *http.Request) {
			r.RemoteAddr = peer + ":1234"
			r.Header.Set("X-API-Key", key)
		}), []string{"a"})
		return status(err)
	}
	for i := 0; i < guessBurst; i++ {
		equal(t, try("10.0.0.1", "x"), 401)
	}
	equal(t, try("10.0.0.1", key), 429)
	equal(t, try("10.0.0.2", key), 0)
}

// together sends n requests at once from peers, and counts the statuses.
func together(a *Auth, n int, peer func(i int) string, password string) map[int]int {
	var mu sync.Mutex
	var all sync.WaitGroup
	got := map[int]int{}
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			_, err := a.Identify(request(func(r *http.Request) {
				r.RemoteAddr = peer(i)
				r.SetBasicAuth("anna", password)
			}), []string{"a"})
			mu.Lock()
			got[status(err)]++
			mu.Unlock()
		}()
	}
	all.Wait()
	return got
}

func TestGuessesAtTheSameTimeAreCounted(t *testing.T) {
	path := file(t, "anna:"+hashOf("secret")+"\n")
	for name, peer := range map[string]func(i int) string{
		"one address": func(int) string { return "10.0.0.1:1" },
		"one network": func(i int) string { return fmt.Sprintf("[2001:db8:1:2::%x]:1", i+1) },
	} {
		a := make1(t, config.Auth{Kind: "basic", File: path})
		from := time.Now()
		got := together(a, 100, peer, "wrong")
		most := guessBurst + int(guessRate*time.Since(from).Seconds()) + 1
		if got[401] < guessBurst || got[401] > most || got[401]+got[429] != 100 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhoIsRightIsNotHeldUpByNumbers(t *testing.T) {
	a := make1(t, config.Auth{Kind: "basic", File: file(t, "anna:"+hashOf("secret")+"\n")})
	equal(t, together(a, 200, func(int) string { return "10.0.0.1:1" }, "secret"), map[int]int{0: 200})
	equal(t, len(a.last.all), 0)
}

func TestOnlySomeWaitForAComparison(t *testing.T) {
	a := make1(t, config.Auth{Kind: "basic", File: file(t, "anna:"+hashOf("secret")+"\n")})
	b := a.ways["a"].(*basic)
	b.turn <- struct{}{} // a comparison takes its time
	answers := make(chan int, mostComparisons+1)
	for i := 0; i <= mostComparisons; i++ {
		go func() {
			_, err := a.Identify(request(func(r *http.Request) {
				r.RemoteAddr = fmt.Sprintf("10.0.0.%d:1", i)
				r.SetBasicAuth("anna", "secret")
			}), []string{"a"})
			answers <- status(err)
		}()
	}
	equal(t, <-answers, 503) // one is too many
	<-b.turn
	for i := 0; i < mostComparisons; i++ {
		equal(t, <-answers, 0)
	}
}

func TestWhoWaitsForOthersOfItsAddressLeavesWithItsRequest(t *testing.T) {
	g := newGuesses()
	for i := 0; i < guessBurst; i++ {
		equal(t, g.begin(context.Background(), "p"), nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	equal(t, g.begin(ctx, "p"), context.Canceled)
	got := make(chan error)
	go func() { got <- g.begin(context.Background(), "p") }()
	g.end("p", false)
	equal(t, <-got, nil)
	for i := 0; i < guessBurst; i++ {
		g.end("p", true)
	}
	equal(t, g.begin(context.Background(), "p"), errGuesses)
}
