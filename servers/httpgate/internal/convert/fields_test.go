// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
)

// sent is the object that a service is sent, or an error.
func sent(c *Converter, who, body string) (map[string]any, error) {
	q := httptest.NewRequest("POST", "/", nil)
	q.SetPathValue("id", "1")
	v, err := c.Request(q, who, []byte(body))
	if err != nil {
		return nil, err
	}
	text := []byte(nil)
	switch x := v.(type) {
	case onewake.UBFOfJSON:
		text = []byte(x)
	case json.RawMessage:
		text = x
	}
	m := map[string]any{}
	return m, json.Unmarshal(text, &m)
}

func TestABodyCannotNameAFieldOfTheRouteByItsNumber(t *testing.T) {
	for _, conv := range []string{"json2ubf", "json"} {
		c := converter(t, config.Route{Conv: conv, Fields: "identity=A path.id=B"})
		for _, body := range []string{`{"((BFLDID32)167772163)":"eve"}`, `{"\u0028(BFLDID32)167772163)":["a","eve"]}`,
			`{"B":"x","(":1}`} {
			if m, err := sent(c, "anna", body); err == nil {
				t.Errorf("%s: %s: %v", conv, body, m)
			}
		}
	}
	// Where the route sets nothing there is nothing to take the place of.
	if _, err := sent(converter(t, config.Route{Conv: "json2ubf"}), "", `{"((BFLDID32)167772163)":"x"}`); err != nil {
		t.Error(err)
	}
}

func TestWhatIsTakenOfTheHeadersTellsRequestsApart(t *testing.T) {
	c := converter(t, config.Route{Conv: "json2ubf", Fields: "header.X-Tenant=A cookie.c=B path.id=C"})
	q := httptest.NewRequest("POST", "/", nil)
	none := fmt.Sprintf("%q", c.Taken(q))
	q.Header.Add("X-Tenant", "1")
	q.Header.Set("User-Agent", "x")
	one := fmt.Sprintf("%q", c.Taken(q))
	q.Header.Set("Cookie", "c=1")
	both := fmt.Sprintf("%q", c.Taken(q))
	if none == one || one == both || one != `["header" "X-Tenant" "1" "1" "cookie" "c" "0"]` {
		t.Error(none, one, both)
	}
}

func TestNoOccurrenceOfAFieldOfTheRouteIsOfTheBody(t *testing.T) {
	c := converter(t, config.Route{Conv: "json2ubf", Fields: "identity=A path.id=B"})
	for _, body := range []string{`{"A":["x","y"],"B":["x","y"],"C":1}`, `{"A":"x","\u0041":["x","y"],"B":{"D":1}}`} {
		for who, want := range map[string]string{"anna": "anna", "": "[]"} {
			m, err := sent(c, who, body)
			if err != nil || fmt.Sprint(m["A"]) != want || m["B"] != "1" {
				t.Errorf("%q: %v %v", who, m, err)
			}
		}
	}
}

func TestANameInOtherLettersIsNotTakenForTheIdentity(t *testing.T) {
	c := converter(t, config.Route{Conv: "json", Fields: "identity=User"})
	if m, err := sent(c, "anna", `{"user":"eve","USER":"eve","x":1}`); err != nil || len(m) != 2 || m["User"] != "anna" {
		t.Error(m, err)
	}
}

func TestTheFieldOfTheIdentityHasNoOtherSource(t *testing.T) {
	for _, r := range []config.Route{
		{Conv: "json2ubf", Fields: "identity=A query.a=A"}, {Conv: "multipart", Fields: "form.a=A identity=A"},
		{Conv: "json2ubf", Fields: "((BFLDID32)167772163)=A identity=B"},
		{Conv: "json2ubf", Fields: "identity=((BFLDID32)167772163) query.a=A"},
	} {
		if _, err := New(&r, &Limits{}); err == nil {
			t.Errorf("%s: accepted", r.Fields)
		}
	}
}

func TestWhatParseheadersAndParsecookiesSendTellsRequestsApart(t *testing.T) {
	c := converter(t, config.Route{Conv: "json2ubf", ParseHeaders: true, Old: config.Old{ParseCookies: true}})
	ask := func(h ...string) string {
		q := httptest.NewRequest("POST", "/", nil)
		for i := 0; i < len(h); i += 2 {
			q.Header.Add(h[i], h[i+1])
		}
		return fmt.Sprintf("%q", c.Taken(q))
	}
	none := ask()
	for _, h := range [][]string{{"X-Tenant", "1"}, {"X-Tenant", "2"}, {"Cookie", "a=1"}} {
		if ask(h...) == none {
			t.Error(h)
		}
	}
	if ask("X-Tenant", "1") == ask("X-Tenant", "2") || ask("Cookie", "a=1") == ask("Cookie", "a=2") {
		t.Error("other values are another request")
	}
	if ask("Traceparent", "x", "Idempotency-Key", "k", "X-Request-Id", "7", "Date", "now") != none {
		t.Error("headers of the way are no request")
	}
}
