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

// socket makes one of a request; nil: it was answered with what is wrong. A browser gets
// one from pages of its own host, and of the origins of the configuration. leave()
// follows.
func (v *served) socket(w *answering, r *http.Request) *socket {
	o := websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled,
		InsecureSkipVerify: contains(v.s.cfg.Origins, "*")}
	for _, origin := range v.s.cfg.Origins {
		if u, err := url.Parse(origin); err == nil && u.Host != "" {
			o.OriginPatterns = append(o.OriginPatterns, u.Host)
		}
	}
	c, err := websocket.Accept(w, r, &o)
	if err != nil {
		return nil
	}
	v.g.sockets.Add(1)
	s := &socket{Conn: c, limit: v.s.cfg.BodyTime, told: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(s.told)
		select {
		case <-v.g.stop:
			_ = c.Close(websocket.StatusGoingAway, "the gate stops")
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
