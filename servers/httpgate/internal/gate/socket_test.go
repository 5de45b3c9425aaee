// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"onewake.example/httpgate/internal/config"
)

// A browser sends what it knows of its user with a socket, whatever the page is.
func TestAPageThatIsNotNamedGetsNoSocketOfAUser(t *testing.T) {
	for _, c := range []struct {
		origins, origin string
		auth, want      bool
	}{
		{"", "", true, true}, {"", "https://gate.example", true, true}, {"", "https://evil.example", false, false},
		{"https://shop.example", "https://shop.example", true, true},
		{"https://shop.example", "http://shop.example", true, false},
		{"*", "https://evil.example", true, false}, {"*", "null", true, false},
		{"*", "https://evil.example", false, true}, {"* https://shop.example", "https://shop.example", true, true},
	} {
		v := &served{s: &state{cfg: &config.HTTP{Origins: strings.Fields(c.origins)}}, r: &config.Route{}}
		if c.auth {
			v.r.Auth = []string{"cards"}
		}
		r := httptest.NewRequest("GET", "http://gate.example/talk", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if v.isOfPage(r) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestAMessageCountsAsItComes(t *testing.T) {
	const all = 100000
	r := config.Route{Method: "GET", Conversation: "X", Conv: "text", Errors: "problem", Concurrency: 1}
	g := serve(t, r)
	g.bodies.left.Store(all)
	v := &served{g: g.Gate, s: g.state, r: &r}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := v.socket(r.Context(), &answering{ResponseWriter: w}, r)
		s.SetReadLimit(v.bodyMax())
		c := &conversation{socket: s, v: v, r: r, ahead: make(chan []byte, 1), read: make(chan struct{})}
		c.reads()
		v.leave(s)
		c.drop()
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	until := func(fine func(left int64) bool) {
		t.Helper()
		for !fine(g.bodies.left.Load()) {
			if ctx.Err() != nil {
				t.Fatal(g.bodies.left.Load(), "are left")
			}
			time.Sleep(time.Millisecond)
		}
	}
	slow, _, err := websocket.Dial(ctx, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := slow.Writer(ctx, websocket.MessageText)
	if err == nil {
		_, err = w.Write(make([]byte, all/10*8))
	}
	if err != nil {
		t.Fatal(err)
	}
	until(func(left int64) bool { return left < all/2 }) // and it is not whole
	other, _, err := websocket.Dial(ctx, server.URL, nil)
	if err == nil {
		err = other.Write(ctx, websocket.MessageText, make([]byte, all/10*6))
	}
	if err == nil {
		_, _, err = other.Read(ctx)
	}
	if websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Error(err)
	}
	slow.CloseNow()
	until(func(left int64) bool { return left == all })
}
