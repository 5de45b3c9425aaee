// SPDX-License-Identifier: Apache-2.0

package route

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"onewake.example/httpgate/internal/config"
)

var routes = []config.Route{
	{Method: "POST", Path: "/a"},
	{Method: "GET", Path: "/a/{id}"},
	{Method: "GET", Path: "/b/{x}/{rest...}"},
	{Method: "GET", Path: "/dir/"},
	{Method: "GET", Path: "/files", Conv: "static"},
	{Path: "/theirs", Theirs: true},
	{Path: "/re/[0-9]+", Theirs: true, Old: config.Old{Format: "r"}},
}

func table(t testing.TB) (*Table, *[]string) {
	served := []string{}
	tab, err := New(routes, func(e *Entry) (http.Handler, error) {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			s := e.Route.Path
			for _, p := range e.Params {
				s += " " + p + "=" + r.PathValue(p)
			}
			served = append(served, s)
		}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tab, &served
}

func TestRequestsFindTheirRoute(t *testing.T) {
	tab, served := table(t)
	for _, c := range []struct{ method, path, want string }{
		{"POST", "/a", "/a"},
		{"GET", "/a", "405"},
		{"POST", "/a/", "404"},
		{"GET", "/a/7", "/a/{id} id=7"},
		{"HEAD", "/a/7", "/a/{id} id=7"},
		{"GET", "/a/7%2F8", "/a/{id} id=7/8"},
		{"GET", "/b/1/2/3", "/b/{x}/{rest...} x=1 rest=2/3"},
		{"GET", "/dir/", "/dir/"},
		{"GET", "/dir/x", "404"},
		{"GET", "/files/x/y", "/files file=x/y"},
		{"DELETE", "/theirs", "/theirs"},
		{"GET", "/theirs/x", "404"},
		{"GET", "/re/12", "/re/[0-9]+"},
		{"GET", "/re/x", "404"},
	} {
		*served = nil
		w := httptest.NewRecorder()
		status := 0
		tab.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil), func(s int) { status = s })
		got := strings.Join(*served, ",")
		if status != 0 {
			got = http.StatusText(status)
			got = map[int]string{404: "404", 405: "405"}[status]
		}
		if got != c.want && strings.TrimSuffix(got, " file=x/y") != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.path, got, c.want)
		}
	}
}

func TestRoutesThatCannotBeToldApartAreRefused(t *testing.T) {
	for _, bad := range [][]config.Route{
		{{Method: "GET", Path: "/a/{x}"}, {Method: "GET", Path: "/a/{y}"}},
		{{Method: "GET", Path: "/a/{x"}},
		{{Path: "/a{", Theirs: true}},
		{{Path: "/(", Theirs: true, Old: config.Old{Format: "regexp"}}},
	} {
		if _, err := New(bad, func(*Entry) (http.Handler, error) { return http.NotFoundHandler(), nil }); err == nil {
			t.Errorf("%v: accepted", bad)
		}
	}
}

// A request is served by one route, or by none; and by that of its method.
func FuzzRoute(f *testing.F) {
	for _, p := range []string{"/a", "/a/1", "/b/1/2", "//a", "/../a", "/re/1", "/files/%2e%2e/x", "*", "/a?x=1"} {
		f.Add("GET", p)
		f.Add("POST", p)
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		u, err := url.ParseRequestURI(path)
		if err != nil || method == "" || strings.ContainsAny(method, " \r\n\t\x00/") {
			return
		}
		tab, served := table(t)
		none := 0
		w := httptest.NewRecorder()
		r := &http.Request{Method: method, URL: u, Header: http.Header{}, RequestURI: path}
		tab.ServeHTTP(w, r, func(int) { none++ })
		redirected := w.Code == http.StatusMovedPermanently || w.Code == http.StatusTemporaryRedirect
		if len(*served)+none != 1 && !redirected {
			t.Errorf("%s %q: served %v, none %d, %d", method, path, *served, none, w.Code)
		}
		if method == "DELETE" && len(*served) == 1 && !strings.HasPrefix((*served)[0], "/theirs") &&
			!strings.HasPrefix((*served)[0], "/re") {
			t.Errorf("%q: %v", path, *served)
		}
	})
}
