// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/hex"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/carry"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/ops"
)

// ServeHTTP serves a request.
func (g *Gate) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	from := time.Now()
	s := g.now.Load()
	w := &answering{ResponseWriter: rw}
	caller, err := onewake.ParseTrace(r.Header.Get("Traceparent"))
	w.parent, w.span = caller.Span, caller.Child()
	if err == nil && len(r.Header["Tracestate"]) > 0 {
		carry.Domain().Put(caller.ID, r.Header)
	}
	if r.ProtoMajor > 1 {
		w.limit = s.cfg.BodyTime
	}
	w.trace = hex.EncodeToString(w.span.ID[:])
	r = r.WithContext(onewake.WithTrace(r.Context(), w.span))
	w.Header().Set("Trace-Id", w.trace)
	defer g.finish(w, r, from)
	if length := r.Header.Get("Content-Length"); r.ProtoMajor > 1 && r.ContentLength == 0 && length != "" && length != "0" {
		f := convert.Refuse(http.StatusBadRequest, "the body is not of the length that is said")
		f.Trace = w.trace
		f.Problem(f.Status).Write(w, r) // RFC 9113, 8.1.1: the library takes it for empty
		return
	}
	if len(s.cfg.Origins) > 0 && cors(s.cfg, w, r) {
		return
	}
	page := s.page(r.URL.Path)
	if page != nil && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		page.ServeHTTP(w, r)
		return
	}
	s.table.ServeHTTP(w, r, func(status int) {
		if page != nil {
			status = http.StatusMethodNotAllowed
			allow := append([]string{"GET, HEAD"}, w.Header().Values("Allow")...)
			w.Header().Set("Allow", strings.Join(allow, ", "))
		}
		f := convert.Refuse(status, "no route has this path and method")
		f.Trace = w.trace
		f.Problem(status).Write(w, r)
	})
}

// page is what the gate shows itself at a path; NULL: nothing.
func (s *state) page(path string) http.Handler {
	switch {
	case path == "/openapi.json" && s.cfg.OpenAPI:
		return s.parts.Describe
	case path == "/docs" && s.cfg.Docs:
		return s.parts.Docs
	}
	return nil
}

// finish counts the request and writes its line; a panic is one, and 500 if nothing was
// written yet.
func (g *Gate) finish(w *answering, r *http.Request, from time.Time) {
	p := recover()
	if p != nil && p != http.ErrAbortHandler {
		onewake.Warnf("%s: panic: %v\n%s", strconv.Quote(r.URL.Path), p, debug.Stack())
		if w.status == 0 {
			f := convert.Refuse(http.StatusInternalServerError, "a mistake of the gate")
			f.Work, f.Trace = convert.Unknown, w.trace
			w.work = f.Work
			f.Problem(f.Status).Write(w, r)
		}
	}
	took := time.Since(from)
	stat, path := g.stats.None(), ""
	if w.route != nil {
		stat, path = w.route.stat, w.route.r.Path
	} else {
		stat.Enter()
	}
	stat.Add(&ops.End{Method: r.Method, Status: w.status, Work: w.work, Took: took})
	(&onewake.Span{Trace: w.span, Parent: w.parent, Kind: onewake.HTTPServer, Method: r.Method, Name: path,
		Status: w.status, Took: took}).Note()
	g.log.Write(&ops.Line{Time: from.UTC(), Trace: w.trace, Peer: peerName(r), Identity: w.name(),
		Method: r.Method, Path: r.URL.Path, Proto: r.Proto, Route: path, Status: w.status,
		Code: w.code, Bytes: w.bytes, Took: took})
	if p == http.ErrAbortHandler || p != nil && w.bytes > 0 {
		panic(http.ErrAbortHandler) // half an answer must not look whole
	}
}

// peerName is the address of the other side, without its port.
func peerName(r *http.Request) string {
	i := strings.LastIndexByte(r.RemoteAddr, ':')
	if i < 0 {
		return r.RemoteAddr
	}
	return strings.Trim(r.RemoteAddr[:i], "[]")
}

var headerNames = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~, -]*$")

// cors lets pages of the origins call; true: it was a question, and is answered.
// Cookies and passwords of the browser are never let in.
func cors(cfg *config.HTTP, w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	h := w.Header()
	all := contains(cfg.Origins, "*")
	if !all {
		h.Add("Vary", "Origin")
	}
	if origin == "" || !all && !contains(cfg.Origins, origin) {
		return false
	}
	if all {
		origin = "*"
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Trace-Id, Onewake-Work, Idempotency-Replayed, Retry-After, Location")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE")
	if asked := r.Header.Get("Access-Control-Request-Headers"); headerNames.MatchString(asked) {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(cfg.CORSMaxAge.Seconds())))
	w.WriteHeader(http.StatusNoContent)
	return true
}
