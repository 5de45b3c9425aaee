// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
)

var echo = config.Route{Echo: true, Conv: "text", Errors: "problem", Concurrency: 4}

func (v *serving) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	v.route.ServeHTTP(&answering{ResponseWriter: w, trace: "0"}, r)
	return w
}

func chunked(body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", "/x", body)
	r.ContentLength = -1
	return r
}

func TestABodyCountsAsItComes(t *testing.T) {
	v := serve(t, echo)
	v.bodies.left.Store(1000)
	if w := v.send(chunked(strings.NewReader("ten bytes!"))); w.Code != 200 {
		t.Error(w.Code, w.Body)
	}
	if w := v.ask(strings.Repeat("x", 1001)); w.Code != 503 || !strings.Contains(w.Body.String(), "memory") ||
		w.Header().Get("Retry-After") == "" || w.Header().Get("Connection") != "close" {
		t.Error(w.Code, w.Header(), w.Body)
	}
	// One that has announced much and sent little holds little.
	in, out := io.Pipe()
	slow := httptest.NewRequest("POST", "/x", in)
	slow.ContentLength = 1 << 20
	got := make(chan int)
	go func() { got <- v.send(slow).Code }()
	if _, err := out.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if w := v.ask(strings.Repeat("x", 800)); w.Code != 200 {
		t.Error(w.Code, w.Body)
	}
	out.CloseWithError(io.ErrUnexpectedEOF)
	if code := <-got; code != http.StatusRequestTimeout {
		t.Error(code)
	}
	if left := v.bodies.left.Load(); left != 1000 {
		t.Error(left, "are left")
	}
}

func TestABodyInAnotherCodingIsNotTakenForText(t *testing.T) {
	for coding, want := range map[string]int{"gzip": 415, "identity": 200, "": 200} {
		v := serve(t, echo)
		if w := v.ask("x", "Content-Encoding", coding); w.Code != want {
			t.Error(coding, w.Code, w.Body)
		}
	}
}

// reading is a memory that keeps nothing.
type reading struct {
	held  func()
	calls int
}

func (*reading) Close() {}

func (m *reading) Serve(r *http.Request, _ []string, _ *hook.Identity, _ *config.Route,
	next func(*http.Request) (*hook.Answer, bool)) *hook.Answer {
	m.held()
	m.calls++
	a, _ := next(r)
	return a
}

func TestTheBodyOfARequestWithAKeyCountsOnce(t *testing.T) {
	r := echo
	r.Idempotency = time.Hour
	v := serve(t, r)
	var left int64
	m := &reading{held: func() { left = v.bodies.left.Load() }}
	v.state.parts.Memory = m
	v.bodies.left.Store(150)
	if w := v.ask(strings.Repeat("x", 100), "Idempotency-Key", "k"); w.Code != 200 || w.Body.Len() != 100 || left != 50 {
		t.Error(w.Code, w.Body, left)
	}
	w := v.ask(strings.Repeat("x", 151), "Idempotency-Key", "k")
	if w.Code != 503 || w.Header().Get(convert.WorkHeader) != convert.NotDone || m.calls != 1 || v.bodies.left.Load() != 150 {
		t.Error(w.Code, w.Header(), m.calls, v.bodies.left.Load())
	}
}

func TestBodiesOfAnyLengthAreReadWhole(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, piece - 1, piece, piece + 1, 4*piece + 1, 1000000} {
		body := strings.Repeat("0123456789", n/10+1)[:n]
		for _, length := range []int64{int64(n), -1} {
			b, err := readAll(iotest.HalfReader(strings.NewReader(body)), length)
			if err != nil || string(b) != body {
				t.Error(n, length, len(b), err)
			}
		}
	}
	if b, err := readAll(iotest.TimeoutReader(strings.NewReader(strings.Repeat("x", 5000))), 5000); err == nil {
		t.Error(len(b))
	}
}

func form(parts string) *http.Request {
	r := chunked(strings.NewReader(parts + "--b--\r\n"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	return r
}

func TestUploadsHaveSoMuchDisk(t *testing.T) {
	folder := t.TempDir()
	v := serve(t, config.Route{Service: "S", Conv: "ext", Errors: "problem", Concurrency: 1,
		Old: config.Old{FileUpload: true, TempDir: folder}})
	v.uploads.left.Store(1000)
	file := "--b\r\nContent-Disposition: form-data; name=f; filename=a\r\n\r\n" + strings.Repeat("x", 2000) + "\r\n"
	w := v.send(form(file))
	if w.Code != 503 || w.Header().Get(convert.WorkHeader) != convert.NotDone || !strings.Contains(w.Body.String(), "uploads") {
		t.Error(w.Code, w.Header(), w.Body)
	}
	left, err := os.ReadDir(folder)
	if v.uploads.left.Load() != 1000 || len(left) > 0 || err != nil {
		t.Error(v.uploads.left.Load(), left, err)
	}
}
