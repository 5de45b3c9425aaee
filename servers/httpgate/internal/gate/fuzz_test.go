// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
)

// Routes that need no domain: what comes before a call, and what an answer is made of.
func fuzzed(f *testing.F) *Gate {
	cfg := &config.HTTP{BodyMax: 1 << 16, BodyTime: time.Minute, JSONDepth: 32, JSONKeys: 1000, JSONDigits: 64,
		Gzip: true, Origins: []string{"https://a.example"}}
	for _, conv := range []string{"json", "text", "raw", "json2ubf"} {
		for _, errors := range []string{"problem", "json", "text", "http"} {
			r := config.Route{Method: "POST", Path: "/" + conv + "/" + errors + "/{id}", Echo: true, Conv: conv,
				Errors: errors, Concurrency: 4, Idempotency: time.Hour}
			r.Old.ErrText, r.Old.ErrJSONMsg = "%d: %s", `"error_message":"%s"`
			r.Old.ErrJSONCode, r.Old.ErrJSONOnSucc = `"error_code":%d`, true
			cfg.Routes = append(cfg.Routes, r)
		}
	}
	cfg.Routes = append(cfg.Routes,
		config.Route{Method: "GET", Path: "/files", Static: f.TempDir(), Conv: "static", Errors: "problem"},
		config.Route{Method: "GET", Path: "/talk", Conversation: "X", Conv: "text", Errors: "problem", Concurrency: 4},
		config.Route{Method: "GET", Path: "/queue", Queue: "S/Q", Conv: "text", Errors: "problem", Concurrency: 4})
	g, err := New(cfg, Parts{Memory: &reading{held: func() {}}})
	if err != nil {
		f.Fatal(err)
	}
	return g
}

// Whatever a request is: it is answered, never with 500, and what a body says does not
// become a header.
func FuzzRequest(f *testing.F) {
	g := fuzzed(f)
	for _, s := range []string{
		"POST /json/problem/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
		"POST /json/json/1 HTTP/1.1\r\nHost: a\r\nIdempotency-Key: \"k\"\r\nContent-Length: 2\r\n\r\n[1",
		"POST /text/text/%00 HTTP/1.1\r\nHost: a\r\nRequest-Timeout: 1e9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
		"POST /raw/http/x HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip;q=0\r\nTraceparent: 00-x-y-00\r\n\r\n",
		"GET /files/../x HTTP/1.1\r\nHost: a\r\nRange: bytes=0-\r\n\r\n",
		"GET /talk HTTP/1.1\r\nHost: a\r\nOrigin: https://b.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"HEAD /queue HTTP/1.1\r\nHost: a\r\n\r\n",
		"OPTIONS /text/text/1 HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
		"POST /json2ubf/problem/1 HTTP/1.1\r\nHost: a\r\nEndurox-Tptranid-Req: x\r\nContent-Length: 2\r\n\r\n{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		r.RemoteAddr = "127.0.0.1:1"
		if strings.HasPrefix(r.URL.Path, "/queue") && r.Method == http.MethodGet || strings.HasPrefix(r.URL.Path, "/talk") &&
			r.Header.Get("Upgrade") != "" {
			return // it would need a domain
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code == 0 || w.Code == http.StatusInternalServerError {
			t.Errorf("%q: %d %s", b, w.Code, w.Body)
		}
		if w.Code >= 400 && strings.HasPrefix(r.URL.Path, "/json/") && w.Header().Get(convert.WorkHeader) == "" {
			t.Errorf("%q: %d says nothing of the work", b, w.Code)
		}
		for name, values := range w.Header() {
			if strings.ContainsAny(name+strings.Join(values, ""), "\r\n\x00") {
				t.Errorf("%q: %q: %q", b, name, values)
			}
		}
	})
}
