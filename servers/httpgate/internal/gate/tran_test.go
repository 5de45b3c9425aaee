// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/ops"
	"onewake.example/httpgate/internal/route"
)

// serving is a route of a gate without a domain.
type serving struct {
	*Gate
	state *state
	route http.Handler
}

func serve(t *testing.T, r config.Route) *serving {
	t.Helper()
	g := &Gate{clients: newClients(), stats: ops.NewStats(), trans: newTransactions(), stop: make(chan struct{})}
	g.bodies.left.Store(bodies)
	s := &state{cfg: &config.HTTP{BodyMax: 1 << 20, BodyTime: time.Minute},
		stats: map[*ops.Route]ops.Target{}, limits: convert.Limits{Depth: 32, Keys: 1000, Digits: 64}}
	h, err := g.serve(s, &route.Entry{Route: &r})
	if err != nil {
		t.Fatal(err)
	}
	return &serving{g, s, h}
}

// busy begins a transaction that makes a call, as long as the test lasts.
func (v *serving) busy(t *testing.T, token string) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	x := &transaction{cancel: cancel, ended: make(chan struct{}),
		orders: make(chan func(context.Context, *onewake.Client) (bool, bool))}
	v.trans.all[token] = x
	go func() {
		_ = x.serve(ctx, nil)
		close(x.ended)
	}()
	x.orders <- func(ctx context.Context, _ *onewake.Client) (bool, bool) {
		<-ctx.Done()
		return false, false
	}
}

func (v *serving) ask(body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/x", strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	v.route.ServeHTTP(&answering{ResponseWriter: w, trace: "0"}, r)
	return w
}

func TestABusyTransactionIsNotToldAsEnded(t *testing.T) {
	v := serve(t, config.Route{Service: "X", Conv: "text", Errors: "problem", Concurrency: 4, QueueMax: 4,
		Timeout: 20 * time.Millisecond})
	v.busy(t, "t")
	w := v.ask("x", tranRequest, "t")
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		!strings.Contains(w.Body.String(), "busy") || !strings.Contains(w.Body.String(), convert.NotDone) {
		t.Error(w.Code, w.Header(), w.Body)
	}
	if w = v.ask("x", tranRequest, "other"); w.Code != http.StatusBadRequest {
		t.Error(w.Code, w.Body)
	}
}

func TestAnEndThatCannotBeOrderedIsToldAsBusy(t *testing.T) {
	v := serve(t, config.Route{Transactions: true, Conv: "json", Errors: "problem", Concurrency: 4,
		Timeout: 20 * time.Millisecond})
	v.busy(t, "t")
	w := v.ask(`{"operation":"tpcommit","tptranid":"t"}`)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		!strings.Contains(w.Body.String(), "busy") {
		t.Error(w.Code, w.Header(), w.Body)
	}
}

func TestATransactionIsRefusedWhereWorkWouldBeOutsideOfIt(t *testing.T) {
	for _, r := range []config.Route{
		{Service: "X", Async: true, Conv: "text"}, {Service: "X", Conv: "ext", Errors: "ext"},
		{Queue: "S/Q", Method: "POST", Conv: "text"}, {Queue: "S/Q", Method: "GET", Conv: "text"},
	} {
		r.Concurrency = 4
		if r.Errors == "" {
			r.Errors = "problem"
		}
		w := serve(t, r).ask("x", tranRequest, "t")
		if w.Code != http.StatusBadRequest || r.Errors == "problem" && !strings.Contains(w.Body.String(), "transaction") {
			t.Error(r.Queue, r.Conv, w.Code, w.Body)
		}
	}
	v := serve(t, config.Route{Service: "X", Conv: "text", Errors: "problem", Concurrency: 4})
	if w := v.ask("x", tranRequest, "t", tranRequest, "u"); w.Code != http.StatusBadRequest {
		t.Error(w.Code, w.Body)
	}
}

func TestOneIdentityCannotTakeAllTransactions(t *testing.T) {
	all := newTransactions()
	fill := func(name string, most int) error {
		key := hook.Key{Name: name}
		for i := 0; i < most; i++ {
			if err := all.room(key); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
			all.all[fmt.Sprint(name, i)] = &transaction{who: key}
		}
		return all.room(key)
	}
	for _, c := range []struct {
		name string
		most int
		want error
	}{{"anna", 32, errTooOwn}, {"", 128, errTooOwn}, {"bert", 32, errTooOwn}, {"carl", 32, errTooOwn},
		{"dora", 32, errTooOwn}} {
		if err := fill(c.name, c.most); err != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := all.room(hook.Key{Name: "emil"}); err != errTooMany {
		t.Error(err)
	}
}
