// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
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
	queue queued
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
	if err = v.c.Fields(onewake.FieldID); err != nil {
		return nil, err
	}
	v.c.Member = s.parts.Member
	if v.r.Rate > 0 {
		v.rates = newRates(v.r.Rate)
	}
	if v.r.Idempotency > 0 && !keeps(v.r) {
		return nil, errors.New("idempotency: for svc and POST of a queue; the answers of others are not kept")
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
	case v.r.Conversation != "":
		v.what, err = conversations(v.r)
	case v.r.Transactions:
		v.what = (*served).transaction
	case v.r.Echo:
		v.what = (*served).echo
	case v.r.Streamed:
		v.what, err = streamed(v.r)
	case v.r.Conv == "ext":
		v.what = (*served).extended
	case v.r.Async:
		v.what = (*served).oneWay
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
	case r.Conversation != "":
		return "conversation"
	case r.Transactions:
		return "transactions"
	case r.Echo:
		return "echo"
	}
	return "service"
}

func targetOf(r *config.Route) string {
	return r.Static + r.Queue + r.Events + r.Conversation + r.Service
}

// answering is where the answer of a request goes, and what is known of the request.
type answering struct {
	http.ResponseWriter
	who    *hook.Identity
	trace  string // its id
	span   onewake.Trace
	parent [8]byte // span of the caller
	route  *served
	status int
	bytes  int64
	code   int    // tperrno of a failure
	work   string // what became of the work of a request that failed
	keyed  bool   // its answer is kept before it is sent
	kept   *convert.Answer
	// Of HTTP/2: the caller says how much it takes, and each piece has so much time. Connections
	// see to that of HTTP/1.
	limit time.Duration
	body  io.ReadCloser // of the request, as the library gives it
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
	if w.limit == 0 {
		n, err := w.ResponseWriter.Write(b)
		w.bytes += int64(n)
		return n, err
	}
	for n := 0; ; {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(w.limit))
		some, err := w.ResponseWriter.Write(b[n:min(len(b), n+piece)])
		w.bytes += int64(some)
		if n += some; err != nil || n == len(b) {
			return n, err
		}
	}
}

// passOn sends what was written, and gives the rest of the answer all time that it needs.
func (w *answering) passOn() error {
	c := http.NewResponseController(w.ResponseWriter)
	err := c.Flush()
	if w.limit != 0 {
		_ = c.SetWriteDeadline(time.Time{})
	}
	return err
}

// Hijack gives the connection to a WebSocket.
func (w *answering) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.ResponseWriter).Hijack()
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
	w.route, w.body = v, r.Body
	v.stat.Enter()
	if v.isOfAnotherPage(r) {
		v.refuse(w, r, convert.Refuse(http.StatusForbidden, "a page of another origin: cors_origins has none such"))
		return
	}
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
	if (v.r.Queue != "" || v.r.Events != "" || v.r.Conversation != "") && r.Method != v.r.Method {
		// HEAD comes where GET does, and its answer has no room for a message.
		w.Header().Set("Allow", v.r.Method)
		v.refuse(w, r, convert.Refuse(http.StatusMethodNotAllowed, "this route is for "+v.r.Method))
		return
	}
	if v.r.Streamed || v.c.Uploads(r) { // its memory is that of a piece
		v.what(v, w, r)
		return
	}
	body := &charged{ReadCloser: r.Body, b: &v.g.bodies, full: errNoMemory}
	defer body.give()
	r.Body = body
	if v.r.Idempotency > 0 && v.s.parts.Memory != nil && len(r.Header["Idempotency-Key"]) > 0 {
		v.once(w, r)
		return
	}
	v.what(v, w, r)
}

// once serves a request with a key: its answer is kept, as it is before it is compressed,
// and then sent.
func (v *served) once(w *answering, r *http.Request) {
	body, f := v.body(w, r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	a := v.s.parts.Memory.Serve(r, append(v.c.Taken(r), string(body)), w.who, v.r, func(r *http.Request) (*hook.Answer, bool) {
		r.Body = &whole{bytes.NewReader(body), body}
		inner := &answering{ResponseWriter: w, who: w.who, trace: w.trace, route: v, keyed: true}
		v.what(v, inner, r)
		w.code, w.work = inner.code, inner.work
		h := inner.kept.Header.Clone()
		if h == nil {
			h = http.Header{}
		}
		if inner.kept.Kind != "" { // "": there is no body
			h.Set("Content-Type", inner.kept.Kind)
		}
		return &hook.Answer{Status: inner.kept.Status, Header: h, Body: inner.kept.Body},
			inner.work == convert.NotDone
	})
	if p := a.Problem; p != nil {
		a.Body = (&convert.Problem{Type: p.Type, Status: a.Status, Work: p.Work, Detail: p.Detail, Trace: w.trace}).Body()
		a.Header.Set("Content-Type", convert.KindProblem)
	}
	if w.work == "" { // the memory itself has refused, or this one was answered before
		w.work = a.Header.Get(convert.WorkHeader)
	}
	v.write(w, r, &convert.Answer{Status: a.Status, Kind: a.Header.Get("Content-Type"), Header: a.Header, Body: a.Body})
}

// keeps says whether the answers of a route can be kept: whole, and of something that may
// be asked for again.
func keeps(r *config.Route) bool {
	return r.Events == "" && r.Static == "" && r.Conversation == "" && (r.Queue == "" || r.Method != http.MethodGet)
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
		onewake.Warnf("who calls %s cannot be found out: %v", v.r.Path, err)
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
		w.failed(f)
	}
	a := v.c.Answer(f, p)
	if a.Header == nil {
		a.Header = http.Header{}
	}
	if f == nil { // the reply may be one that cannot be said here
		w.work = a.Header.Get(convert.WorkHeader)
	}
	for name, values := range more {
		a.Header[name] = values
	}
	v.write(w, r, a)
}

// failed notes what the failure says of the request, and the other way round.
func (w *answering) failed(f *convert.Failure) {
	f.Trace, w.code, w.work = w.trace, f.Code, f.Work
	if f.Retry == 0 && f.Work == convert.NotDone && (f.Status == http.StatusServiceUnavailable ||
		f.Status == http.StatusTooManyRequests) {
		f.Retry = 1
	}
}

func (v *served) write(w *answering, r *http.Request, a *convert.Answer) {
	if w.keyed {
		w.kept = a
		return
	}
	if v.s.cfg.Gzip {
		compress(w, r, a)
	}
	a.Write(w, r)
	if a.Status >= http.StatusBadRequest && w.limit != 0 && !v.r.Streamed {
		w.hears()
	}
}
