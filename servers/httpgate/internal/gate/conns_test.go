// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// listening is a gate without a domain that listens at a port of this machine.
func listening(t *testing.T, cfg *config.HTTP, parts Parts) *Gate {
	t.Helper()
	cfg.IP, cfg.Connections, cfg.BodyMax = "127.0.0.1", 10, 1<<20
	g, err := New(cfg, parts)
	if err == nil {
		err = g.Listen()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = g.Serve() }()
	t.Cleanup(g.Drain)
	return g
}

// hangs sends a request and reads no more than the first byte of the answer.
func hangs(t *testing.T, g *Gate, request string) {
	t.Helper()
	c, err := net.Dial("tcp", g.listen.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprint(c, request)
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
}

func (l *limited) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// gone waits until the gate has left its callers.
func gone(t *testing.T, g *Gate) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); g.listen.(*limited).count() > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the gate still writes to one that does not read")
		}
	}
}

const large = 64 << 20

func TestWhoDoesNotReadAFileIsLeft(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "a"), large); err != nil {
		t.Fatal(err)
	}
	g := listening(t, &config.HTTP{BodyTime: 100 * time.Millisecond, Routes: []config.Route{
		{Method: "GET", Path: "/f", Static: dir, Conv: "static", Concurrency: 1}}}, Parts{})
	hangs(t, g, "GET /f/a HTTP/1.1\r\nHost: a\r\n\r\n")
	gone(t, g)
}

// repeating is a memory that has a large answer for each key.
type repeating struct{}

func (repeating) Close() {}

func (repeating) Serve(*http.Request, []string, *hook.Identity, *config.Route,
	func(*http.Request) (*hook.Answer, bool)) *hook.Answer {
	return &hook.Answer{Status: 200, Header: http.Header{}, Body: bytes.Repeat([]byte("x"), large)}
}

func TestWhoDoesNotReadAnAnswerThatIsRepeatedIsLeft(t *testing.T) {
	g := listening(t, &config.HTTP{BodyTime: 100 * time.Millisecond, Routes: []config.Route{
		{Method: "POST", Path: "/r", Echo: true, Conv: "text", Concurrency: 1, Idempotency: time.Hour}}},
		Parts{Memory: repeating{}})
	hangs(t, g, "POST /r HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n")
	gone(t, g)
}

// A deadline is one of a piece: who reads slowly, but reads, gets all.
func TestWhoReadsSlowlyGetsAll(t *testing.T) {
	here, there := net.Pipe()
	l := limit(nil, &config.HTTP{BodyTime: 500 * time.Millisecond})
	c := &counted{Conn: here, l: l}
	go func() {
		_, _ = c.Write(bytes.Repeat([]byte("x"), 6*piece))
		c.Conn.Close()
	}()
	n, b := 0, make([]byte, piece)
	for n < 6*piece {
		time.Sleep(100 * time.Millisecond)
		some, err := io.ReadFull(there, b)
		n += some
		if err != nil {
			t.Fatal(n, err)
		}
	}
}
