// SPDX-License-Identifier: Apache-2.0

package out

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	mrand "math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Message is what a caller of the service sends.
type Message struct {
	Kind string // UBF, VIEW, JSON, STRING, CARRAY, NULL
	Body []byte // UBF and VIEW as JSON
	// Field is the value of a field of UBF, for places in the URL and in headers.
	Field func(name string) (string, bool)
	// Span begins the span of an attempt: its traceparent, and what is to be called
	// when it has ended. NULL: there is none.
	Span func(method, host string) (traceparent string, end func(status int))
	// State is the tracestate that goes with it; "": none.
	State string
}

// Work says what is known of what the host has done.
type Work int

// The three things that an error can mean.
const (
	Done    Work = iota // it has answered
	NotDone             // it has not got the request
	Unknown             // it has got it, perhaps whole, and has not answered
)

func (w Work) String() string {
	return [...]string{"done", "not done", "unknown"}[w]
}

// Result is what became of a call.
type Result struct {
	Status int // 0: no answer
	Header http.Header
	Body   []byte
	Err    error // no answer, or none that can be used
	Work   Work
}

const (
	firstPause = 50 * time.Millisecond
	maxPause   = 2 * time.Second
	// A time-out after less says more about the caller than about the host.
	fairTime = time.Second
)

var errTooLarge = errors.New("the answer is larger than max_reply")

// Call makes the request, and repeats it where that is allowed, until ctx ends or the
// time-out of the service.
func (e *Endpoint) Call(ctx context.Context, m *Message) Result {
	ctx, cancel := context.WithTimeout(ctx, e.s.timeout())
	defer cancel()
	r, err := e.compose(m)
	if err != nil {
		return Result{Err: err, Work: NotDone}
	}
	e.host.earn()
	sent := false // by any attempt: no later one can say that nothing was done
	for n := 0; ; n++ {
		res := e.once(ctx, r, m)
		if sent && res.Err != nil && res.Work == NotDone {
			res.Work = Unknown
		}
		sent = sent || res.Work != NotDone
		if n >= e.s.Retries || !e.s.idempotent() || !res.passing() {
			return res
		}
		pause := pauseOf(n, res.Header)
		if end, ok := ctx.Deadline(); !ok || time.Until(end) < pause+firstPause ||
			!e.host.spend() {
			return res
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return res
		}
	}
}

// passing: may the next attempt fare better?
func (r *Result) passing() bool {
	if r.Err != nil {
		return r.Status == 0 && !errors.Is(r.Err, context.DeadlineExceeded) &&
			!errors.Is(r.Err, context.Canceled) && !errors.Is(r.Err, errLeftAlone)
	}
	return r.Status == http.StatusTooManyRequests || isAway(r.Status)
}

// isAway: statuses of a host that does not serve.
func isAway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable ||
		status == http.StatusGatewayTimeout
}

// pauseOf is the pause before attempt n+2: by chance, so that callers do not come
// back together; longer if the host has asked for that.
func pauseOf(n int, h http.Header) time.Duration {
	most := min(firstPause<<n, maxPause)
	pause := time.Duration(mrand.Int64N(int64(most))) + 1
	after := h.Get("Retry-After")
	if s, err := strconv.ParseUint(after, 10, 31); err == nil {
		pause += time.Duration(s) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		pause += max(0, time.Until(at))
	}
	return pause
}

func hasBody(method string) bool {
	return method != http.MethodGet && method != http.MethodHead
}

var contentTypes = map[string]string{"UBF": "application/json", "VIEW": "application/json",
	"JSON": "application/json", "STRING": "text/plain; charset=utf-8",
	"CARRAY": "application/octet-stream"}

// compose makes what all attempts have in common.
func (e *Endpoint) compose(m *Message) (*http.Request, error) {
	target, err := e.target(m)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequest(e.s.Method, target, nil)
	if err != nil {
		return nil, err
	}
	if t := contentTypes[m.Kind]; t != "" && hasBody(e.s.Method) {
		r.Header.Set("Content-Type", t)
	}
	r.Header.Set("User-Agent", "onewake")
	for name, value := range e.s.Headers {
		if v, ok := expand(value, m); ok {
			r.Header.Set(name, v)
		}
	}
	if e.s.IdempotencyKey && r.Header.Get("Idempotency-Key") == "" {
		key := make([]byte, 16)
		_, _ = rand.Read(key)
		r.Header.Set("Idempotency-Key", `"`+hex.EncodeToString(key)+`"`)
	}
	return r, nil
}

// target fills the places {FIELD} of the URL.
func (e *Endpoint) target(m *Message) (string, error) {
	target := e.s.URL
	for _, name := range e.s.params {
		v, ok := field(m, name)
		if !ok || v == "" || v == "." || v == ".." {
			return "", fmt.Errorf("url: field %s has no value for it", name)
		}
		target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(v))
	}
	u, err := url.Parse(target)
	if err != nil || len(e.s.Query) == 0 {
		return target, err
	}
	q := u.Query()
	for name, value := range e.s.Query {
		if v, ok := expand(value, m); ok {
			q.Set(name, v)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func field(m *Message, name string) (string, bool) {
	if m.Field == nil {
		return "", false
	}
	return m.Field(name)
}

// expand fills the places of a value; false: a field has no value.
func expand(value string, m *Message) (string, bool) {
	all := true
	v := param.ReplaceAllStringFunc(value, func(s string) string {
		f, ok := field(m, s[1:len(s)-1])
		all = all && ok
		return f
	})
	return v, all
}

// once makes one attempt.
func (e *Endpoint) once(ctx context.Context, common *http.Request, m *Message) (res Result) {
	done, err := e.host.enter()
	if err != nil {
		return Result{Err: err, Work: NotDone}
	}
	began := time.Now()
	if m.Span != nil {
		traceparent, end := m.Span(e.s.Method, e.host.name)
		if e.ownTrace(common) {
			common.Header.Set("Traceparent", traceparent)
			if m.State != "" {
				common.Header.Set("Tracestate", m.State)
			}
		}
		defer func() { end(res.Status) }()
	}
	res = e.attempt(ctx, common, m.Body)
	late := errors.Is(res.Err, context.DeadlineExceeded)
	switch {
	case errors.Is(res.Err, context.Canceled), errors.Is(res.Err, errTooLarge):
		done(true)
	case late:
		done(time.Since(began) < min(fairTime, e.s.timeout()))
	default:
		done(res.Err == nil && !isAway(res.Status))
	}
	return res
}

// ownTrace: the configuration says nothing else.
func (e *Endpoint) ownTrace(r *http.Request) bool {
	for name := range e.s.Headers {
		if http.CanonicalHeaderKey(name) == "Traceparent" {
			return r.Header.Get(name) == ""
		}
	}
	return true
}

func (e *Endpoint) attempt(ctx context.Context, common *http.Request, body []byte) Result {
	var begun atomic.Bool
	r := common.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { begun.Store(true) },
	}))
	if hasBody(e.s.Method) {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(body)), nil
		}
	}
	if e.sign != nil {
		if err := e.sign.sign(ctx, r); err != nil {
			return Result{Err: err, Work: NotDone}
		}
	}
	answer, err := e.client.Do(r)
	if err != nil {
		res := Result{Err: because(ctx, err), Work: NotDone}
		if begun.Load() {
			res.Work = Unknown
		}
		return res
	}
	defer answer.Body.Close()
	res := Result{Status: answer.StatusCode, Header: answer.Header}
	if res.Status == http.StatusUnauthorized {
		e.sign.forget(r.Header.Get("Authorization"))
	}
	b, err := io.ReadAll(io.LimitReader(answer.Body, e.s.MaxReply+1))
	if err != nil {
		res.Err, res.Work = because(ctx, err), Unknown
	} else if int64(len(b)) > e.s.MaxReply {
		res.Err = errTooLarge // the status is known, and what it is about is not
		if res.Status < 200 || res.Status > 299 {
			res.Work = Unknown
		}
	} else {
		res.Body = b
	}
	return res
}

// because makes the end of ctx the reason, which not every error has in it.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return fmt.Errorf("%w: %v", ctx.Err(), err)
	}
	return err
}
