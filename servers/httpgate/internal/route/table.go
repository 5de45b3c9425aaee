// SPDX-License-Identifier: Apache-2.0

// Package route finds the route of a request.
package route

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"onewake.example/httpgate/internal/config"
)

// Table has the routes of a configuration. It does not change.
type Table struct {
	mux      *http.ServeMux
	patterns []pattern // of restincl, tried in the order of the file after exact paths
}

// Entry is a route, and what serves it.
type Entry struct {
	Route   *config.Route
	Handler http.Handler
	Params  []string // names in the path
}

type pattern struct {
	re    *regexp.Regexp
	entry *Entry
}

var parameter = regexp.MustCompile(`\{([^}.]+)(\.\.\.)?\}`)

// params are the names of the parameters in a path.
func params(path string) (names []string) {
	for _, m := range parameter.FindAllStringSubmatch(path, -1) {
		if m[1] != "$" {
			names = append(names, m[1])
		}
	}
	return names
}

// New makes a table; serve gives what serves a route.
func New(routes []config.Route, serve func(*Entry) (http.Handler, error)) (t *Table, err error) {
	t = &Table{mux: http.NewServeMux()}
	for i := range routes {
		e := &Entry{Route: &routes[i]}
		if e.Handler, err = serve(e); err != nil {
			return nil, fmt.Errorf("route %s: %w", e.Route.Path, err)
		}
		if err := t.add(e); err != nil {
			return nil, fmt.Errorf("route %s: %w", e.Route.Path, err)
		}
	}
	return t, nil
}

func (t *Table) add(e *Entry) (err error) {
	r := e.Route
	if r.Theirs && (r.Old.Format == "r" || r.Old.Format == "regexp") {
		re, err := regexp.Compile(r.Path)
		t.patterns = append(t.patterns, pattern{re, e})
		return err
	}
	path := r.Path
	if r.Theirs {
		// Exact, and braces mean nothing there.
		if strings.ContainsAny(path, "{} ") {
			return fmt.Errorf("a path of restincl cannot have braces or blanks")
		}
		if strings.HasSuffix(path, "/") {
			path += "{$}"
		}
	} else {
		if r.Conv == "static" && !strings.Contains(path, "{") {
			path = strings.TrimSuffix(path, "/") + "/{file...}"
		} else if strings.HasSuffix(path, "/") {
			path += "{$}"
		}
		e.Params = params(path)
		path = r.Method + " " + path
	}
	defer func() { // two routes that cannot be told apart, a path of no form
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	t.mux.Handle(path, e)
	return nil
}

// ServeHTTP makes an Entry what the mux wants.
func (e *Entry) ServeHTTP(w http.ResponseWriter, r *http.Request) { e.Handler.ServeHTTP(w, r) }

// ServeHTTP serves a request by its route; `none` says that there is none (404, 405).
func (t *Table) ServeHTTP(w http.ResponseWriter, r *http.Request, none func(status int)) {
	h, found := t.mux.Handler(r)
	if found != "" {
		if _, ours := h.(*Entry); ours {
			t.mux.ServeHTTP(w, r) // which sets the parameters of the path
			return
		}
	}
	for _, p := range t.patterns {
		if p.re.MatchString(r.URL.Path) {
			p.entry.Handler.ServeHTTP(w, r)
			return
		}
	}
	none(t.why(h, r, w))
}

// Find is the route that would serve a request; NULL: none.
func (t *Table) Find(r *http.Request) *Entry {
	h, found := t.mux.Handler(r)
	if e, ours := h.(*Entry); ours && found != "" {
		return e
	}
	for _, p := range t.patterns {
		if p.re.MatchString(r.URL.Path) {
			return p.entry
		}
	}
	return nil
}

// why: does the path exist with other methods? Then the header Allow names them.
func (t *Table) why(h http.Handler, r *http.Request, w http.ResponseWriter) int {
	rec := &silent{header: http.Header{}}
	h.ServeHTTP(rec, r)
	if rec.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", rec.header.Get("Allow"))
		return rec.status
	}
	return http.StatusNotFound
}

// silent takes what the mux would answer.
type silent struct {
	header http.Header
	status int
}

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) Write(b []byte) (int, error) { return len(b), nil }
func (s *silent) WriteHeader(status int)      { s.status = status }
