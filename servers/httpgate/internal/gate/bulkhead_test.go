// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"testing"
	"time"
)

func TestASlowServiceFillsItsOwnPlaces(t *testing.T) {
	b := newBulkhead(2, 1)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if !b.enter(ctx) || !b.enter(ctx) {
		t.Fatal("no place")
	}
	got := make(chan bool)
	go func() { got <- b.enter(ctx) }()
	for b.waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if b.enter(ctx) {
		t.Error("one more than may wait was let in")
	}
	b.leave(time.Second)
	if !<-got {
		t.Error("who waited got no place")
	}
}

func TestWhoWouldBeLateIsRefusedAtOnce(t *testing.T) {
	b := newBulkhead(1, 10)
	long, stop := context.WithTimeout(context.Background(), time.Hour)
	defer stop()
	b.enter(long)
	b.leave(10 * time.Second)
	b.enter(long)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	from := time.Now()
	if b.enter(ctx) || time.Since(from) > 500*time.Millisecond {
		t.Error("it waited")
	}
}

func TestRatesAreOfOneIdentity(t *testing.T) {
	now := time.Unix(1000, 0)
	l := newRates(2)
	for i, want := range []bool{true, true, false} {
		if l.take("a", now) != want {
			t.Errorf("request %d", i)
		}
	}
	if !l.take("b", now) || !l.take("a", now.Add(time.Second)) {
		t.Error("refused")
	}
	for i := 0; i < 3*mostRates; i++ {
		l.take(string(rune(i)), now.Add(time.Hour))
	}
	if len(l.all) > mostRates+1 {
		t.Errorf("%d are remembered", len(l.all))
	}
}
