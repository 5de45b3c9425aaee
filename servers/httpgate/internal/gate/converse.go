// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
)

// Messages of a caller whose turn it is not, which wait for it.
const mostAhead = 16

// Closing codes of applications are 4000 and more: this and tperrno.
const closeOf = 4000

// conversations makes what serves a route of conversations.
func conversations(r *config.Route) (func(*served, *answering, *http.Request), error) {
	switch r.Conv {
	case "json2ubf", "json", "json2view", "text", "raw":
		return (*served).converse, nil
	}
	return nil, errors.New("conversation: conv " + r.Conv + " is not for messages")
}

// converse serves a route of conversations. The caller's first message goes to the service
// with the conversation, and the service has the turn. It sends what it likes, and gives
// the turn back, or returns. Each message of the caller gives it the turn again.
func (v *served) converse(w *answering, r *http.Request) {
	if !asksForSocket(r) {
		w.Header().Set("Upgrade", "websocket")
		v.refuse(w, r, convert.Refuse(http.StatusUpgradeRequired, "conversations are by WebSocket"))
		return
	}
	h := &inHand{}
	defer h.end()
	begin, cancel, f := v.until(r)
	if f == nil {
		h.ctx, h.taken = begin, append(h.taken, cancel)
		f = v.enters(h)
	}
	if f == nil {
		f = v.joins(h, w)
	}
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	stays, done := v.stands(r, w.who)
	defer done()
	s := v.socket(stays, w, r)
	if s == nil {
		return
	}
	c := &conversation{socket: s, v: v, w: w, r: r, ahead: make(chan []byte, mostAhead), read: make(chan struct{})}
	defer c.drop()
	defer v.leave(s)
	c.SetReadLimit(v.bodyMax())
	go s.beats()
	go c.reads()
	c.ends(c.serve(h.client))
}

// conversation is one of a caller by WebSocket with a service.
type conversation struct {
	*socket
	v     *served
	w     *answering
	r     *http.Request
	ahead chan []byte
	read  chan struct{} // closed when nobody reads any more
}

// errLeft: the caller has gone, or must go, and is told no more.
var errLeft = errors.New("the caller has left")

// reads takes the caller's messages, also before its turn: so it is noticed when it goes.
func (c *conversation) reads() {
	defer close(c.read)
	defer c.cancel()
	for {
		b, err := c.message()
		if err == errNoMemory {
			_ = c.Close(websocket.StatusTryAgainLater, "no memory")
		}
		if err != nil {
			return
		}
		select {
		case c.ahead <- b:
		default:
			c.v.g.bodies.give(int64(len(b)))
			_ = c.Close(websocket.StatusPolicyViolation, "too many messages before its turn")
			return
		}
	}
}

// message reads one, which takes memory of the budget as it comes.
func (c *conversation) message() ([]byte, error) {
	_, from, err := c.Reader(c.ctx)
	if err != nil {
		return nil, err
	}
	body := &charged{ReadCloser: io.NopCloser(from), b: &c.v.g.bodies, full: errNoMemory}
	b, err := io.ReadAll(body)
	if err != nil {
		body.give()
	}
	return b, err
}

// next waits for a message of the caller, as the service is sent it.
func (c *conversation) next() (any, error) {
	select {
	case b := <-c.ahead:
		defer c.v.g.bodies.give(int64(len(b)))
		in, err := c.v.c.Request(c.r, c.w.name(), b)
		if err != nil {
			_ = c.Close(websocket.StatusInvalidFramePayloadData, short(err.Error()))
			return nil, errLeft
		}
		return in, nil
	case <-c.ctx.Done():
		return nil, errLeft
	}
}

// serve carries messages until the service has returned: nil, or why it ended.
func (c *conversation) serve(client *onewake.Client) error {
	in, err := c.next()
	if err != nil {
		return err
	}
	ctx, cancel, _ := c.v.until(c.r.WithContext(c.ctx)) // of the beginning
	ctx = onewake.WithTrace(ctx, onewake.TraceOf(c.r.Context()))
	t, err := client.Connect(ctx, c.v.r.Conversation, in, onewake.Theirs)
	cancel()
	if err != nil {
		return err
	}
	defer t.Close()
	for {
		if t.MaySend() {
			if in, err = c.next(); err == nil {
				err = t.Send(c.ctx, in, onewake.Theirs)
			}
		} else {
			err = c.receive(t)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// drop gives back what was read and is not wanted any more.
func (c *conversation) drop() {
	<-c.read
	for {
		select {
		case b := <-c.ahead:
			c.v.g.bodies.give(int64(len(b)))
		default:
			return
		}
	}
}

// receive passes a message of the service on; io.EOF: its last one.
func (c *conversation) receive(t *onewake.Stream) error {
	p := c.v.c.Reply()
	end := t.Recv(c.ctx, p.Into(false))
	if end != nil && end != io.EOF {
		return end
	}
	body, _, err := p.Body()
	if err != nil {
		return fmt.Errorf("a message cannot be converted: %w", err)
	}
	if body == nil && (end == io.EOF || t.MaySend()) {
		return end // nothing but the turn
	}
	kind := websocket.MessageText
	if c.v.r.Conv == "raw" {
		kind = websocket.MessageBinary
	}
	if !c.write(kind, body) {
		return errLeft
	}
	return end
}

// ends tells the caller how it ended: 1000, or 4000 and tperrno with its name and what
// became of the work.
func (c *conversation) ends(err error) {
	if err == nil {
		_ = c.Close(websocket.StatusNormalClosure, "")
		return
	}
	if err == errLeft || c.ctx.Err() != nil {
		return
	}
	f := ofConversation(err)
	c.w.failed(f)
	_ = c.Close(websocket.StatusCode(closeOf+f.Code), short(f.Name+": "+f.Work))
}

// ofConversation is a failure of one: the service failed, or is gone, as of a call.
func ofConversation(err error) *convert.Failure {
	var e *onewake.Error
	if !errors.As(err, &e) || e.Code != onewake.TPEEVENT {
		return convert.FailureOf(err)
	}
	code := onewake.TPESVCERR
	if e.Event == onewake.EventServiceFailed {
		code = onewake.TPESVCFAIL
	}
	f := convert.Of(int(code), false)
	f.Name, f.Text, f.Service, f.Urcode, f.Data = code.Error(), e.Text, e.Service, e.Urcode, e.Data
	return f
}

// short is a reason as a closing frame has room for.
func short(text string) string { return text[:min(len(text), 120)] }
