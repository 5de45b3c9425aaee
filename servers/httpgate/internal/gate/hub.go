// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/hook"
)

// Events that are kept for callers who come again.
const ringSize = 1024

// hubs have a subscription for each expression and identity that streams, or has streamed
// lately: callers who lost their connection come again.
type hubs struct {
	mu  sync.Mutex
	all map[hubKey]*hub
	// subscribe makes the subscription of a new one, without the lock: it asks tpevsrv.
	subscribe func(expression string, who *hook.Identity) (events, error)
}

// events is a subscription.
type events interface {
	// each calls fn with each event, until the subscription ends.
	each(fn func(text json.RawMessage))
	close()
}

type hubKey struct {
	expression string
	who        hook.Key
}

// Subscriptions at once, and how long one stays to which nobody listens.
const (
	mostHubs = 256
	keptFor  = 10 * time.Minute
)

// hub has the last events of a subscription. Their numbers begin with its name, so
// those of one before it are not taken for its own.
type hub struct {
	name  string
	sub   events
	err   error         // there is no subscription
	ready chan struct{} // closed when sub or err is set
	users int           // who listen; of hubs, as is since
	since time.Time     // nobody listens since then
	mu    sync.Mutex
	ring  [ringSize]json.RawMessage
	next  int64         // number of the next event
	news  chan struct{} // closed when there is one more
	ended bool
}

func newHubs(subscribe func(string, *hook.Identity) (events, error)) *hubs {
	return &hubs{all: map[hubKey]*hub{}, subscribe: subscribe}
}

// subscribed is a subscription of an identity: it goes on without the client of that.
type subscribed struct {
	*onewake.Subscription
}

func (g *Gate) subscribe(expression string, who *hook.Identity) (events, error) {
	client, done, err := g.client(who)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := client.Subscribe(expression, "")
	return subscribed{s}, err
}

func (s subscribed) each(fn func(json.RawMessage)) {
	for e := range s.C {
		var v onewake.AsJSON
		if err := e.Decode(&v); err != nil {
			onewake.Warnf("an event cannot be read: %v", err)
			continue
		}
		fn(v.Text)
	}
}

func (s subscribed) close() { s.Close() }

// get gives the one of an expression and an identity; leave() follows. Who comes while it is
// made waits for it, and for no other.
func (s *hubs) get(expression string, who *hook.Identity) (*hub, error) {
	key := hubKey{expression, who.Key()}
	s.mu.Lock()
	h := s.all[key]
	if h != nil && h.over() {
		delete(s.all, key)
		defer h.sub.close()
		h = nil
	}
	if h != nil {
		h.users++
		s.mu.Unlock()
		<-h.ready
	} else {
		old, err := s.room()
		if err != nil {
			s.mu.Unlock()
			return nil, err
		}
		h = newHub()
		s.all[key] = h
		s.mu.Unlock()
		if old != nil {
			old.sub.close()
		}
		h.begin(s.subscribe(expression, who))
	}
	if h.err != nil {
		s.mu.Lock()
		if s.all[key] == h {
			delete(s.all, key)
		}
		s.mu.Unlock()
		return nil, h.err
	}
	return h, nil
}

// room makes room for one more; old: the one that leaves, to be closed. Locked.
func (s *hubs) room() (old *hub, err error) {
	if len(s.all) < mostHubs {
		return nil, nil
	}
	var at hubKey
	for key, h := range s.all {
		if h.users == 0 && (old == nil || h.since.Before(old.since)) {
			old, at = h, key
		}
	}
	if old == nil {
		return nil, fmt.Errorf("more than %d subscriptions", mostHubs)
	}
	delete(s.all, at)
	return old, nil
}

func (s *hubs) leave(h *hub) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h.users--; h.users == 0 {
		h.since = time.Now()
	}
}

// forget ends those to which nobody has listened for long.
func (s *hubs) forget(now time.Time) {
	var old []*hub
	s.mu.Lock()
	for key, h := range s.all {
		if h.users == 0 && now.Sub(h.since) > keptFor {
			delete(s.all, key)
			old = append(old, h)
		}
	}
	s.mu.Unlock()
	for _, h := range old {
		h.sub.close()
	}
}

func (s *hubs) close() {
	s.mu.Lock()
	all := s.all
	s.all = map[hubKey]*hub{}
	s.mu.Unlock()
	for _, h := range all {
		if <-h.ready; h.err == nil {
			h.sub.close()
		}
	}
}

// newHub makes one for its first listener.
func newHub() *hub {
	var id [6]byte
	_, _ = rand.Read(id[:])
	return &hub{name: hex.EncodeToString(id[:]), news: make(chan struct{}), ready: make(chan struct{}), users: 1}
}

func (h *hub) begin(sub events, err error) {
	h.sub, h.err = sub, err
	if err == nil {
		go h.take()
	}
	close(h.ready)
}

func (h *hub) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

func (h *hub) take() {
	h.sub.each(func(text json.RawMessage) {
		h.mu.Lock()
		h.ring[h.next%ringSize] = text
		h.next++
		close(h.news)
		h.news = make(chan struct{})
		h.mu.Unlock()
	})
	h.mu.Lock()
	h.ended = true
	close(h.news)
	h.news = make(chan struct{})
	h.mu.Unlock()
}

// from gives the number of the event after `last`, and whether some are missing.
func (h *hub) from(last string) (next int64, gap bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last == "" {
		return h.next, false
	}
	name, number, _ := strings.Cut(last, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || name != h.name || n < -1 || n >= h.next {
		return h.next, true
	}
	if n+1 < h.next-ringSize {
		return h.next - ringSize, true
	}
	return n + 1, false
}

// read gives event n, or what to wait for. gap: it has been overwritten.
func (h *hub) read(n int64) (text json.RawMessage, wait chan struct{}, gap, ended bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n >= h.next {
		return nil, h.news, false, h.ended
	}
	if n < h.next-ringSize {
		return nil, nil, true, false
	}
	return h.ring[n%ringSize], nil, false, false
}

func (h *hub) id(n int64) string { return fmt.Sprintf("%s-%d", h.name, n) }

// oldest gives the oldest number that is kept.
func (h *hub) oldest() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(h.next-ringSize, 0)
}
