// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"onewake.example/httpgate/internal/hook"
)

// silence is a subscription to which nothing comes.
type silence struct {
	over chan struct{}
}

func (s silence) each(func(json.RawMessage)) { <-s.over }
func (s silence) close()                     { close(s.over) }

func quiet(string, *hook.Identity) (events, error) { return silence{make(chan struct{})}, nil }

func named(n int) *hook.Identity { return &hook.Identity{Name: fmt.Sprint("n", n)} }

func TestSubscriptionsToWhichNobodyListensMakeRoom(t *testing.T) {
	s := newHubs(quiet)
	var first *hub
	for n := 0; n < mostHubs; n++ {
		h, err := s.get("A", named(n))
		if err != nil {
			t.Fatal(n, err)
		}
		if n == 0 {
			first = h
		}
	}
	if _, err := s.get("A", named(1000)); err == nil {
		t.Fatal("one that is listened to has left")
	}
	if h, err := s.get("A", named(0)); h != first || err != nil {
		t.Fatal("there are two of one identity", err)
	}
	s.leave(first)
	if _, err := s.get("A", named(1000)); err == nil {
		t.Fatal("somebody listens yet")
	}
	s.leave(first)
	if _, err := s.get("A", named(1000)); err != nil {
		t.Fatal(err)
	}
	if <-first.sub.(silence).over; len(s.all) != mostHubs {
		t.Error(len(s.all))
	}
	s.close()
}

func TestASubscriptionStaysForThoseWhoComeAgain(t *testing.T) {
	s := newHubs(quiet)
	h, err := s.get("A", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.forget(time.Now().Add(2 * keptFor))
	s.leave(h)
	s.forget(time.Now().Add(keptFor / 2))
	if again, _ := s.get("A", nil); again != h {
		t.Error("it has left too early")
	}
	s.leave(h)
	s.forget(time.Now().Add(2 * keptFor))
	if again, _ := s.get("A", nil); again == h {
		t.Error("it is kept for ever")
	}
	s.close()
}

func TestASubscriptionThatIsMadeHoldsUpNoOther(t *testing.T) {
	made, fails := make(chan struct{}), fmt.Errorf("no event server")
	s := newHubs(func(e string, who *hook.Identity) (events, error) {
		if e == "SLOW" {
			<-made
			return nil, fails
		}
		return quiet(e, who)
	})
	said := make(chan error)
	for i := 0; i < 2; i++ {
		go func() {
			_, err := s.get("SLOW", nil)
			said <- err
		}()
	}
	if _, err := s.get("QUICK", nil); err != nil {
		t.Fatal(err)
	}
	close(made)
	for i := 0; i < 2; i++ {
		if err := <-said; err != fails {
			t.Error(err)
		}
	}
	s.close()
}

func TestAnIDThatNoEventHadIsAGap(t *testing.T) {
	h := newHub()
	for id, want := range map[string]bool{h.name + "--1": false, h.name + "--2": true, h.name + "--9223372036854775808": true,
		h.name + "-0": true, "x-0": true, h.name: true, h.name + "-x": true} {
		next, gap := h.from(id)
		if gap != want {
			t.Error(id, gap)
		}
		if _, wait, _, _ := h.read(next); wait == nil {
			t.Error(id, "there is an event", next)
		}
	}
}
