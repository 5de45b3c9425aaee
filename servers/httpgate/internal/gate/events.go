// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/hook"
)

// Events that are kept for callers who come again.
const ringSize = 1024

// A line without meaning, so that a dead connection is noticed.
const heartbeat = 15 * time.Second

// hubs have a subscription for each expression and identity that streams, or has
// streamed: callers who lost their connection come again.
type hubs struct {
	g   *Gate
	mu  sync.Mutex
	all map[hubKey]*hub
}

type hubKey struct {
	expression string
	who        hook.Key
}

// Subscriptions at once.
const mostHubs = 256

// hub has the last events of a subscription. Their numbers begin with its name, so
// those of one before it are not taken for its own.
type hub struct {
	name  string
	sub   *onewake.Subscription
	mu    sync.Mutex
	ring  [ringSize]json.RawMessage
	next  int64         // number of the next event
	news  chan struct{} // closed when there is one more
	ended bool
}

func newHubs(g *Gate) *hubs { return &hubs{g: g, all: map[hubKey]*hub{}} }

func (s *hubs) get(expression string, who *hook.Identity) (*hub, error) {
	key := hubKey{expression, who.Key()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.all[key]; h != nil {
		if !h.over() {
			return h, nil
		}
		delete(s.all, key)
		h.sub.Close()
	}
	if len(s.all) >= mostHubs {
		return nil, fmt.Errorf("more than %d subscriptions", mostHubs)
	}
	client, done, err := s.g.client(who)
	if err != nil {
		return nil, err
	}
	defer done()
	var id [6]byte
	_, _ = rand.Read(id[:])
	h := &hub{name: hex.EncodeToString(id[:]), news: make(chan struct{})}
	if h.sub, err = client.Subscribe(expression, ""); err != nil {
		return nil, err
	}
	s.all[key] = h
	go h.take()
	return h, nil
}

func (s *hubs) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.all {
		h.sub.Close()
	}
	s.all = map[hubKey]*hub{}
}

func (h *hub) over() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

func (h *hub) take() {
	for e := range h.sub.C {
		var v onewake.AsJSON
		if err := e.Decode(&v); err != nil {
			onewake.Logf("an event cannot be read: %v", err)
			continue
		}
		h.mu.Lock()
		h.ring[h.next%ringSize] = v.Text
		h.next++
		close(h.news)
		h.news = make(chan struct{})
		h.mu.Unlock()
	}
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
	if err != nil || name != h.name || n >= h.next {
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

// sends is the caller of a stream. Each says whether the caller is still there.
type sends interface {
	// hello: without an id a caller that comes again at once would get none of what it
	// missed.
	hello(id string) bool
	event(id string, text json.RawMessage) bool
	gap(id string) bool // events are missing
	beat() bool         // nothing, so that a dead connection is noticed
}

// stream serves a route of events, as server-sent events, or by WebSocket if the caller
// asks for one.
func (v *served) stream(w *answering, r *http.Request) {
	leave, f := v.place(r.Context())
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	defer leave()
	h, err := v.g.events.get(v.r.Events, w.who)
	if err != nil {
		v.refuse(w, r, unsent(err))
		return
	}
	last := r.Header.Get("Last-Event-ID")
	if !asksForSocket(r) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		v.follow(r.Context(), h, last, &lines{w, http.NewResponseController(w)})
		return
	}
	if last == "" { // a browser sets no header of a WebSocket
		last = r.URL.Query().Get("last-event-id")
	}
	if s := v.socket(w, r); s != nil {
		defer v.leave(s)
		v.follow(s.CloseRead(s.ctx), h, last, s)
	}
}

// follow sends events until the caller has gone, or the gate stops.
func (v *served) follow(ctx context.Context, h *hub, last string, s sends) {
	next, gap := h.from(last)
	if !s.hello(h.id(next - 1)) {
		return
	}
	for {
		if gap {
			next = h.oldest()
			if !s.gap(h.id(next - 1)) {
				return
			}
			gap = false
		}
		text, wait, missed, ended := h.read(next)
		switch {
		case missed:
			gap = true
		case text != nil:
			if !s.event(h.id(next), text) {
				return
			}
			next++
		case ended || !v.pause(ctx, wait, s):
			return
		}
	}
}

func (h *hub) id(n int64) string { return fmt.Sprintf("%s-%d", h.name, n) }

// oldest gives the oldest number that is kept.
func (h *hub) oldest() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(h.next-ringSize, 0)
}

// pause waits for an event; false: the stream ends.
func (v *served) pause(ctx context.Context, news chan struct{}, s sends) bool {
	t := time.NewTimer(heartbeat)
	defer t.Stop()
	select {
	case <-news:
		return true
	case <-t.C:
		return s.beat()
	case <-ctx.Done():
	case <-v.g.stop:
	}
	return false
}

// oneLine: JSON has no line ends but between its words.
func oneLine(b []byte) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(string(b))
}

// lines are server-sent events.
type lines struct {
	w http.ResponseWriter
	c *http.ResponseController
}

func (s *lines) hello(id string) bool { return s.send(": here\nid: %s\n\n", id) }
func (s *lines) beat() bool           { return s.send(": \n\n") }
func (s *lines) gap(id string) bool {
	return s.send("event: gap\nid: %s\ndata: events are missing\n\n", id)
}
func (s *lines) event(id string, text json.RawMessage) bool {
	return s.send("id: %s\ndata: %s\n\n", id, oneLine(text))
}

func (s *lines) send(how string, args ...any) bool {
	if _, err := fmt.Fprintf(s.w, how, args...); err != nil {
		return false
	}
	return s.c.Flush() == nil
}
