// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"onewake.example/httpgate/internal/convert"
)

// asksForSocket: the caller would go on by WebSocket.
func asksForSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// socket is a WebSocket of a caller. ctx ends with it, and when the gate drains.
type socket struct {
	*websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	limit  time.Duration // of a message that is written
	told   chan struct{} // closed when the caller need not be told that the gate stops
}

// isOfPage: the page of the request gets a socket. A browser sends with it what it knows of
// its user, passwords and certificates, and a page reads what comes: so where callers are
// identified the origin is named, or is the host itself.
func (v *served) isOfPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || contains(v.s.cfg.Origins, origin) { // "": no browser
		return true
	}
	if len(v.r.Auth) == 0 && contains(v.s.cfg.Origins, "*") {
		return true
	}
	return isOfHost(origin, r)
}

func isOfHost(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// isOfAnotherPage: a browser sends the request for a page that may not call. The page cannot read
// the answer, but the call would be made, with what the browser knows of its user, passwords and
// certificates: any page can send a form. What only reads is let through, as links are; GET of a
// queue takes a message. Callers that are no browsers say neither Origin nor Sec-Fetch-Site.
func (v *served) isOfAnotherPage(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	reads := (r.Method == http.MethodGet || r.Method == http.MethodHead) && v.r.Queue == ""
	if v.r.Theirs || reads || origin == "" && site == "" || site == "same-origin" || site == "none" {
		return false
	}
	return !contains(v.s.cfg.Origins, origin) && !contains(v.s.cfg.Origins, "*") && !isOfHost(origin, r)
}

// socket makes one of a request; nil: it was answered with what is wrong. leave() follows. When
// `stays` ends the caller must go.
func (v *served) socket(stays context.Context, w *answering, r *http.Request) *socket {
	if !v.isOfPage(r) {
		v.refuse(w, r, convert.Refuse(http.StatusForbidden, "pages of this origin get no WebSocket"))
		return nil
	}
	v.g.sockets.Add(1) // before the server forgets the connection: who drains waits for it
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true,
		CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		v.g.sockets.Done()
		return nil
	}
	s := &socket{Conn: c, limit: v.s.cfg.BodyTime, told: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.told)
		select {
		case <-v.g.stop:
			_ = c.Close(websocket.StatusGoingAway, "the gate stops")
			s.cancel()
		case <-stays.Done():
			_ = c.Close(websocket.StatusPolicyViolation, "its caller would not be let in now")
			s.cancel()
		case <-s.ctx.Done():
		}
	}()
	return s
}

func (v *served) leave(s *socket) {
	select {
	case <-v.g.stop:
	default:
		s.cancel()
	}
	<-s.told
	_ = s.CloseNow()
	v.g.sockets.Done()
}

func (s *socket) write(kind websocket.MessageType, b []byte) bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.limit)
	defer cancel()
	return s.Write(ctx, kind, b) == nil
}

// beats pings now and then: who does not answer has gone.
func (s *socket) beats() {
	for {
		select {
		case <-time.After(heartbeat):
		case <-s.ctx.Done():
			return
		}
		if !s.beat() {
			s.cancel()
			return
		}
	}
}

func (s *socket) beat() bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.limit)
	defer cancel()
	return s.Ping(ctx) == nil
}

// A socket gets events as objects: {"id":ID,"data":EVENT}, and {"id":ID,"event":"gap"}.

func (s *socket) hello(id string) bool { return s.object(map[string]any{"id": id}) }
func (s *socket) gap(id string) bool {
	return s.object(map[string]any{"id": id, "event": "gap"})
}
func (s *socket) event(id string, text json.RawMessage) bool {
	return s.object(map[string]any{"id": id, "data": text})
}

func (s *socket) object(o map[string]any) bool {
	b, err := json.Marshal(o)
	return err == nil && s.write(websocket.MessageText, b)
}
