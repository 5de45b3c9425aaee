// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/seen"
)

// The deadline of a call without one: without, the library has its default.
const longest = 12 * 24 * time.Hour

// until is the deadline of a call: that of the route, or what the caller asks for, if
// the route lets it.
func (v *served) until(r *http.Request) (context.Context, context.CancelFunc, *convert.Failure) {
	d := v.r.Timeout
	if v.r.NoTime {
		d = longest
	}
	if text := r.Header.Get("Request-Timeout"); text != "" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x > 0) || x > 1e6 {
			return nil, nil, convert.Refuse(http.StatusBadRequest, "Request-Timeout: give seconds")
		}
		most := v.r.TimeoutMax
		if most == 0 && v.r.NoTime {
			most = longest
		} else if most == 0 {
			most = config.Usual()
		}
		d = max(min(time.Duration(x*float64(time.Second)), most), 1) // 0 would be none
	}
	if d <= 0 {
		return r.Context(), func() {}, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), d)
	return ctx, cancel, nil
}

// place waits for a place in the bulkhead; leave() follows.
func (v *served) place(ctx context.Context) (leave func(), f *convert.Failure) {
	if !v.bulk.enter(ctx) {
		f := convert.Refuse(http.StatusServiceUnavailable, "too many calls of this route are out")
		f.Retry = 1 + rand.Intn(3) // not all at the same time again
		return nil, f
	}
	from := time.Now()
	return func() { v.bulk.leave(time.Since(from)) }, nil
}

// inHand is a request that has all that its calls need. end() gives it back.
type inHand struct {
	ctx    context.Context
	body   []byte
	in     any // of the body
	client *onewake.Client
	taken  []func()
}

// begun is the ctx of the calls of a request: it ends with the deadline, and not when the caller
// goes. The service has the call then, and works: its place is not free, or who takes back what
// it has asked for (CVE-2023-44487) gives a service more than the places of the route.
func (h *inHand) begun() context.Context {
	ctx := context.WithoutCancel(h.ctx)
	if at, ok := h.ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, at)
		h.taken = append(h.taken, cancel)
	}
	return ctx
}

func (h *inHand) end() {
	for i := len(h.taken) - 1; i >= 0; i-- {
		h.taken[i]()
	}
}

// takes makes a request ready for its calls: its time, its body and what `read` makes of
// it, its place among the others. What it lacks is a failure; end() follows in any case.
func (v *served) takes(w *answering, r *http.Request, read func(body []byte) (any, error)) (h *inHand, f *convert.Failure) {
	h = &inHand{}
	ctx, cancel, f := v.until(r)
	if f != nil {
		return h, f
	}
	h.ctx, h.taken = ctx, append(h.taken, cancel)
	if v.c.Uploads(r) {
		if f = v.tooLong(w, r); f != nil {
			return h, f
		}
		body := &charged{ReadCloser: v.passes(w, r), b: &v.g.uploads, full: errNoDisk}
		h.taken = append(h.taken, body.give)
		r.Body = body
	} else if f = v.reads(h, w, r); f != nil {
		return h, f
	}
	var err error
	if h.in, err = read(h.body); err != nil {
		return h, v.unread(w, err)
	}
	if f = v.inTime(ctx, w); f != nil {
		return h, f
	}
	return h, v.enters(h)
}

// reads reads the body of a request, unless it is a form: who takes it apart reads it.
func (v *served) reads(h *inHand, w *answering, r *http.Request) (f *convert.Failure) {
	_, before := r.Body.(*whole)
	if v.c.InParts() && !before {
		if f = v.isCoded(r); f == nil {
			f = v.tooLong(w, r)
		}
		r.Body = http.MaxBytesReader(w.ResponseWriter, r.Body, v.bodyMax())
		return f
	}
	if h.body, f = v.body(w, r); f == nil && !before {
		h.taken = append(h.taken, func() { giveBack(h.body) })
	}
	return f
}

// unread is why nothing could be made of a request.
func (v *served) unread(w *answering, err error) *convert.Failure {
	var disk *os.PathError
	switch {
	case errors.Is(err, convert.ErrCut):
		return v.cut(w, err)
	case errors.As(err, &disk):
		onewake.Warnf("an upload to %s cannot be stored: %v", v.r.Path, err)
		return convert.Refuse(http.StatusServiceUnavailable, "the files cannot be stored now")
	}
	return convert.Refuse(http.StatusBadRequest, err.Error())
}

// enters waits for the place of a request.
func (v *served) enters(h *inHand) *convert.Failure {
	leave, f := v.place(h.ctx)
	if f == nil {
		h.taken = append(h.taken, leave)
	}
	return f
}

// joins gives a request the client of its identity.
func (v *served) joins(h *inHand, w *answering) *convert.Failure {
	client, done, err := v.g.client(w.who)
	if err != nil {
		return unsent(err)
	}
	h.client, h.taken = client, append(h.taken, done)
	return nil
}

// sends is takes() of a request whose body goes to a service or queue, and joins().
func (v *served) sends(w *answering, r *http.Request) (h *inHand, f *convert.Failure) {
	h, f = v.takes(w, r, func(body []byte) (any, error) { return v.c.Request(r, w.name(), body) })
	if f == nil {
		f = v.joins(h, w)
	}
	return h, f
}

// call serves a route with a service.
func (v *served) call(w *answering, r *http.Request) {
	token := r.Header.Get(tranRequest)
	h, f := v.takes(w, r, func(body []byte) (any, error) { return v.c.Request(r, w.name(), body) })
	defer h.end()
	if f == nil && token == "" {
		f = v.joins(h, w)
	}
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	var p *convert.Reply
	defer func() { p.Free() }()
	var more http.Header
	if token != "" {
		p, f, more = v.inTransaction(h.ctx, w, token, h.in)
	} else {
		p, f = v.calls(h.begun(), h.client, h.in, !w.keyed)
	}
	w.left(r)
	v.tell(w, r, f, p, more)
}

// left notes that the caller has gone. It is answered even so: one that only says no more
// (shutdown(SHUT_WR)) looks the same, and without an answer the library would say 200.
func (w *answering) left(r *http.Request) {
	if r.Context().Err() != nil {
		w.status = 499
	}
}

// unsent is a failure of what was not sent, whatever the library says.
func unsent(err error) *convert.Failure {
	f := convert.FailureOf(err)
	f.Status, f.Work, f.Source = http.StatusServiceUnavailable, convert.NotDone, 'R'
	return f
}

// calls makes the calls of a route, each with the reply of the one before. lends: the last
// reply is read only until it is freed.
func (v *served) calls(ctx context.Context, client *onewake.Client, in any, lends bool) (*convert.Reply, *convert.Failure) {
	names := append(append([]string{}, v.r.FiltersIn...), v.r.Service)
	names = append(names, v.r.FiltersOut...)
	var p *convert.Reply
	for i, name := range names {
		if err := ctx.Err(); err != nil && i == 0 {
			return nil, convert.Refuse(http.StatusServiceUnavailable, "its time is over")
		}
		before := p
		p = v.c.Reply()
		err := client.Call(ctx, name, in, p.Into(lends))
		before.Free() // it has been sent
		if err != nil {
			return nil, v.inChain(i, convert.FailureOf(err))
		}
		next := p.Next()
		if b := v.s.parts.Seen; b != nil && b.Due(name, time.Now()) {
			note(b, name, seen.Takes, in)
			note(b, name, seen.Gives, next)
		}
		in = next
	}
	return p, nil
}

// inChain makes a failure of call i that of the chain: those before it have done theirs.
func (v *served) inChain(i int, f *convert.Failure) *convert.Failure {
	service := len(v.r.FiltersIn)
	if i != service {
		f.Source = 'F'
	}
	switch {
	case i > service:
		f.Did(convert.Done) // by the service: a filter behind it failed
	case i > 0 && (f.Work == convert.NotDone || f.Work == convert.Failed && i < service):
		f.Did(convert.InPart)
	}
	return f
}

// oneWay serves a route whose calls have no reply.
func (v *served) oneWay(w *answering, r *http.Request) {
	h, f := v.sends(w, r)
	defer h.end()
	if f == nil {
		if err := h.client.Send(h.ctx, v.r.Service, h.in); err != nil {
			f = convert.FailureOf(err)
		}
	}
	switch {
	case f != nil:
		v.refuse(w, r, f)
	case v.r.Old.AsyncEcho:
		v.echoes(w, r, h.body)
	case v.r.Theirs:
		v.tell(w, r, nil, v.c.Reply(), nil)
	default:
		v.write(w, r, &convert.Answer{Status: http.StatusAccepted})
	}
}

// echo serves a route that answers with the body of the request.
func (v *served) echo(w *answering, r *http.Request) {
	body, f := v.body(w, r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	v.echoes(w, r, body)
	if !w.keyed {
		giveBack(body)
	}
}

func (v *served) echoes(w *answering, r *http.Request, body []byte) {
	p, err := v.c.Echo(body)
	if err != nil {
		v.refuse(w, r, convert.Refuse(http.StatusBadRequest, err.Error()))
		return
	}
	v.tell(w, r, nil, p, nil)
}
