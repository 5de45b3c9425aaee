// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/route"
)

func TestScopesOfNobodyAreNoRoute(t *testing.T) {
	g := &Gate{}
	s := &state{cfg: &config.HTTP{}}
	_, err := g.serve(s, &route.Entry{Route: &config.Route{Service: "X", Conv: "text", Scopes: []string{"pay"}}})
	if err == nil || !strings.Contains(err.Error(), "auth") {
		t.Error(err)
	}
}

func TestOnlyWholeAnswersOfServicesAndPutsAreKept(t *testing.T) {
	for _, c := range []struct {
		route config.Route
		want  bool
	}{
		{config.Route{Service: "A", Method: "GET"}, true}, {config.Route{Queue: "S/Q", Method: "POST"}, true},
		{config.Route{Queue: "S/Q", Method: "GET"}, false}, {config.Route{Events: "A", Method: "GET"}, false},
		{config.Route{Static: "/tmp", Method: "GET"}, false}, {config.Route{Echo: true, Method: "POST"}, true},
	} {
		if got := keeps(&c.route); got != c.want {
			t.Errorf("%+v: %v", c.route, got)
		}
	}
}

// Of a chain F1 F2 SERVICE F3: what its caller hears when call i fails.
func TestAChainSaysWhatWasDoneBeforeTheFailure(t *testing.T) {
	v := &served{r: &config.Route{FiltersIn: []string{"F1", "F2"}, Service: "S", FiltersOut: []string{"F3"}}}
	for _, c := range []struct {
		code    int
		notDone bool
		i       int
		status  int
		work    string
	}{
		{6, true, 0, 503, convert.NotDone}, {6, true, 1, 502, convert.InPart}, {6, true, 2, 502, convert.InPart},
		{6, true, 3, 502, convert.Done},
		{11, false, 0, 422, convert.Failed}, {11, false, 1, 422, convert.InPart}, {11, false, 2, 422, convert.Failed},
		{11, false, 3, 422, convert.Done},
		{13, false, 0, 504, convert.Unknown}, {13, false, 1, 504, convert.Unknown}, {13, false, 3, 504, convert.Done},
		{10, false, 2, 502, convert.Unknown}, {8, true, 1, 502, convert.InPart}, {4, true, 3, 502, convert.Done},
	} {
		f := v.inChain(c.i, convert.Of(c.code, c.notDone))
		if f.Status != c.status || f.Work != c.work {
			t.Errorf("%+v: %d %s", c, f.Status, f.Work)
		}
	}
}

func TestACallerAsksForNoMoreTimeThanTheRouteLetsIt(t *testing.T) {
	t.Setenv("NDRX_TOUT", "7")
	for _, one := range []struct {
		r     config.Route
		asked string
		most  time.Duration
	}{
		{config.Route{}, "1000000", 7 * time.Second},
		{config.Route{}, "1e-12", time.Second},
		{config.Route{Timeout: time.Second, TimeoutMax: time.Second}, "1e-12", time.Second},
		{config.Route{TimeoutMax: 9 * time.Second}, "1000", 9 * time.Second},
		{config.Route{NoTime: true}, "1000", 1000 * time.Second},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Request-Timeout", one.asked)
		ctx, cancel, f := (&served{r: &one.r}).until(r)
		if f != nil {
			t.Fatal(f)
		}
		at, ok := ctx.Deadline()
		if left := time.Until(at); !ok || left > one.most {
			t.Errorf("%+v: %s: %v, %v", one.r, one.asked, ok, left)
		}
		cancel()
	}
}
