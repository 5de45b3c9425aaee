// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"strconv"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/ops"
	"onewake.example/httpgate/internal/route"
)

// served is a route in a state.
type served struct {
	g     *Gate
	s     *state
	r     *config.Route
	c     *convert.Converter
	bulk  *bulkhead
	rates *rates
	stat  *ops.Route
	what  func(v *served, w *answering, r *http.Request) // serves whom it has let in
}

func (g *Gate) serve(s *state, e *route.Entry) (http.Handler, error) {
	v := &served{g: g, s: s, r: e.Route, bulk: newBulkhead(e.Route.Concurrency, e.Route.QueueMax)}
	var err error
	if v.c, err = convert.New(e.Route, &s.limits); err != nil {
		return nil, err
	}
	if v.r.Rate > 0 {
		v.rates = newRates(v.r.Rate)
	}
	if len(v.r.Auth) > 0 && s.parts.Identifier == nil {
		return nil, errors.New("auth: this gate cannot identify callers")
	}
	if len(v.r.Scopes) > 0 && len(v.r.Auth) == 0 {
		return nil, errors.New("scopes are those of a caller: give auth, too")
	}
	v.stat = g.stats.Route(v.r.Method, v.r.Path)
	s.stats[v.stat] = ops.Target{Kind: kindOf(v.r), Name: targetOf(v.r)}
	v.what = (*served).call
	switch {
	case v.r.Static != "":
		v.what, err = static(v.r)
	case v.r.Queue != "":
		v.what, err = queue(v.r)
	case v.r.Events != "":
		v.what = (*served).stream
	case v.r.Transactions:
		v.what = (*served).transaction
	case v.r.Conv == "ext":
		v.what = (*served).extended
	}
	return http.HandlerFunc(v.request), err
}

// kindOf and targetOf say what serves a route, for operators.
func kindOf(r *config.Route) string {
	switch {
	case r.Static != "":
		return "static"
	case r.Queue != "":
		return "queue"
	case r.Events != "":
		return "events"
	case r.Transactions:
		return "transactions"
	case r.Echo:
		return "echo"
	}
	return "service"
}

func targetOf(r *config.Route) string {
	return r.Static + r.Queue + r.Events + r.Service
}

// answering is where the answer of a request goes, and what is known of the request.
type answering struct {
	http.ResponseWriter
	who    *hook.Identity
	trace  string
	route  *served
	status int
	bytes  int64
	code   int    // tperrno of a failure
	work   string // what became of the work of a request that failed
}

func (w *answering) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answering) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answering) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *answering) name() string {
	if w.who == nil {
		return ""
	}
	return w.who.Name
}

// request lets a caller in, or not.
func (v *served) request(rw http.ResponseWriter, r *http.Request) {
	w := rw.(*answering)
	w.route = v
	v.stat.Enter()
	if len(v.r.Auth) > 0 {
		who, f := v.identify(r)
		if f != nil {
			v.refuse(w, r, f)
			return
		}
		w.who = who
	}
	if v.rates != nil {
		key := "n" + w.name()
		if w.who == nil {
			key = "p" + hook.Peer(r.RemoteAddr).String()
		}
		if !v.rates.take(key, time.Now()) {
			f := convert.Refuse(http.StatusTooManyRequests, "more requests than "+
				strconv.Itoa(v.r.Rate)+" in a second")
			f.Retry = 1
			v.refuse(w, r, f)
			return
		}
	}
	if f := v.noneHere(r); f != nil {
		v.refuse(w, r, f)
		return
	}
	body := &charged{ReadCloser: r.Body, b: &v.g.bodies}
	defer body.give()
	r.Body = body
	if v.r.Idempotency > 0 && v.s.parts.Memory != nil && r.Header.Get("Idempotency-Key") != "" {
		v.s.parts.Memory.Serve(w, r, w.who, v.r, func(rw http.ResponseWriter, r *http.Request) {
			if a, ok := rw.(*answering); ok {
				v.what(v, a, r)
				return
			}
			inner := &answering{ResponseWriter: rw, who: w.who, trace: w.trace, route: v}
			v.what(v, inner, r)
			w.code, w.work = inner.code, inner.work
		})
		return
	}
	v.what(v, w, r)
}

func (v *served) identify(r *http.Request) (*hook.Identity, *convert.Failure) {
	who, err := v.s.parts.Identifier.Identify(r, v.r.Auth)
	var refused *hook.Refused
	switch {
	case errors.As(err, &refused):
		f := convert.Refuse(refused.Status, refused.Text)
		f.Challenge = refused.Challenge
		return nil, f
	case err != nil:
		onewake.Logf("who calls %s cannot be found out: %v", v.r.Path, err)
		f := convert.Refuse(http.StatusServiceUnavailable, "who calls cannot be found out now")
		f.Retry = 5
		return nil, f
	case who == nil:
		return nil, convert.Refuse(http.StatusUnauthorized, "nobody knows the caller")
	}
	for _, want := range v.r.Scopes {
		if !contains(who.Scopes, want) {
			return nil, convert.Refuse(http.StatusForbidden, "scope "+want+" is missing")
		}
	}
	return who, nil
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// refuse tells what came to no call. Routes of restincl say it in their form.
func (v *served) refuse(w *answering, r *http.Request, f *convert.Failure) {
	v.tell(w, r, f, nil, nil)
}

// tell answers: with a failure, or with the reply p. `more`: headers.
func (v *served) tell(w *answering, r *http.Request, f *convert.Failure, p *convert.Reply, more http.Header) {
	if f != nil {
		f.Trace = w.trace
		w.code, w.work = f.Code, f.Work
		if f.Retry == 0 && (f.Status == http.StatusServiceUnavailable ||
			f.Status == http.StatusTooManyRequests) {
			f.Retry = 1
		}
	}
	a := v.c.Answer(f, p)
	for name, values := range more {
		w.Header()[name] = values
	}
	v.write(w, r, a)
}

func (v *served) write(w *answering, r *http.Request, a *convert.Answer) {
	if v.s.cfg.Gzip {
		compress(w, r, a)
	}
	a.Write(w, r)
}

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
		asked := time.Duration(x * float64(time.Second))
		if most := v.r.TimeoutMax; most != 0 && asked > most {
			asked = most
		}
		d = asked
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

// call serves a route with a service.
func (v *served) call(w *answering, r *http.Request) {
	ctx, cancel, f := v.until(r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	defer cancel()
	body, f := v.body(w, r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	if v.r.Echo {
		v.echo(w, r, body)
		return
	}
	in, err := v.c.Request(r, w.name(), body)
	if err != nil {
		v.refuse(w, r, convert.Refuse(http.StatusBadRequest, err.Error()))
		return
	}
	leave, f := v.place(ctx)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	defer leave()
	if v.r.Async {
		v.oneWay(ctx, w, r, in, body)
		return
	}
	p, f, more := v.chain(ctx, w, r, in)
	if f != nil && r.Context().Err() != nil && ctx.Err() == context.Canceled {
		w.status, w.work = 499, convert.Unknown // the caller has gone
		return
	}
	v.tell(w, r, f, p, more)
}

// chain calls filters, the service, and filters.
func (v *served) chain(ctx context.Context, w *answering, r *http.Request, in any) (*convert.Reply, *convert.Failure, http.Header) {
	if token := r.Header.Get(tranRequest); token != "" {
		return v.inTransaction(ctx, w, token, in)
	}
	client, done, err := v.g.client(w.who)
	if err != nil {
		return nil, unsent(err), nil
	}
	defer done()
	p, f := v.calls(ctx, client, in)
	return p, f, nil
}

// unsent is a failure of what was not sent, whatever the library says.
func unsent(err error) *convert.Failure {
	f := convert.FailureOf(err)
	f.Status, f.Work, f.Source = http.StatusServiceUnavailable, convert.NotDone, 'R'
	return f
}

// calls makes the calls of a route, each with the reply of the one before.
func (v *served) calls(ctx context.Context, client *onewake.Client, in any) (*convert.Reply, *convert.Failure) {
	names := append(append([]string{}, v.r.FiltersIn...), v.r.Service)
	names = append(names, v.r.FiltersOut...)
	var p *convert.Reply
	for i, name := range names {
		if err := ctx.Err(); err != nil && i == 0 {
			return nil, convert.Refuse(http.StatusServiceUnavailable, "its time is over")
		}
		p = v.c.Reply()
		if err := client.Call(ctx, name, in, p.Into()); err != nil {
			f := convert.FailureOf(err)
			if i != len(v.r.FiltersIn) {
				f.Source = 'F'
			}
			if i > len(v.r.FiltersIn) {
				f.Work = convert.Done // of the service: a filter behind it failed
			}
			return nil, f
		}
		in = p.Next()
	}
	return p, nil
}

// oneWay serves a route whose calls have no reply.
func (v *served) oneWay(ctx context.Context, w *answering, r *http.Request, in any, body []byte) {
	client, done, err := v.g.client(w.who)
	if err == nil {
		defer done()
		err = client.Send(ctx, v.r.Service, in)
	}
	switch {
	case err != nil:
		f := convert.FailureOf(err)
		v.tell(w, r, f, nil, nil)
	case v.r.Old.AsyncEcho:
		v.echo(w, r, body)
	case v.r.Theirs:
		v.tell(w, r, nil, v.c.Reply(), nil)
	default:
		v.write(w, r, &convert.Answer{Status: http.StatusAccepted})
	}
}

// echo answers with the body of the request, in the form of the route.
func (v *served) echo(w *answering, r *http.Request, body []byte) {
	p, err := v.c.Echo(body)
	if err != nil {
		v.refuse(w, r, convert.Refuse(http.StatusBadRequest, err.Error()))
		return
	}
	v.tell(w, r, nil, p, nil)
}
