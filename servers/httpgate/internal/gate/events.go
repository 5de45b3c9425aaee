// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A line without meaning, so that a dead connection is noticed.
const heartbeat = 15 * time.Second

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
	defer v.g.events.leave(h)
	ctx, done := v.stands(r, w.who)
	defer done()
	last := r.Header.Get("Last-Event-ID")
	if !asksForSocket(r) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		v.follow(ctx, h, last, &lines{w})
		return
	}
	if last == "" { // a browser sets no header of a WebSocket
		last = r.URL.Query().Get("last-event-id")
	}
	if s := v.socket(ctx, w, r); s != nil {
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
	w *answering
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
	return s.w.passOn() == nil
}
