// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
)

// folder has the files below a real folder: no names that begin with a dot, no links
// that lead out, no listings.
type folder struct {
	root string
}

func (d folder) Open(name string) (http.File, error) {
	for _, part := range strings.Split(name, "/") {
		if strings.HasPrefix(part, ".") || strings.ContainsRune(part, 0) {
			return nil, fs.ErrNotExist
		}
	}
	real, err := filepath.EvalSymlinks(filepath.Join(d.root, filepath.FromSlash(path.Clean("/"+name))))
	if err != nil {
		return nil, fs.ErrNotExist
	}
	if real != d.root && !strings.HasPrefix(real, d.root+string(filepath.Separator)) {
		return nil, fs.ErrNotExist
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(real, "index.html")); err != nil {
			return nil, fs.ErrNotExist
		}
	}
	return os.Open(real)
}

// static makes what serves a route of files.
func static(r *config.Route) (func(*served, *answering, *http.Request), error) {
	root, err := filepath.EvalSymlinks(r.Static)
	if err != nil {
		return nil, err
	}
	prefix := r.Path
	if i := strings.IndexByte(prefix, '{'); i >= 0 {
		prefix = prefix[:i]
	}
	files := http.FileServer(folder{root})
	below := http.StripPrefix(strings.TrimSuffix(prefix, "/"), files)
	if r.Theirs && r.Old.Format != "" {
		below = files // of a regular expression nothing is taken off
	}
	return func(v *served, w *answering, q *http.Request) {
		if q.Method != http.MethodGet && q.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			v.refuse(w, q, convert.Refuse(http.StatusMethodNotAllowed, "files are got"))
			return
		}
		if !r.Theirs {
			name := strings.TrimPrefix(q.URL.Path, strings.TrimSuffix(prefix, "/"))
			f, err := folder{root}.Open(name)
			if err != nil {
				v.refuse(w, q, convert.Refuse(http.StatusNotFound, "there is no such file"))
				return
			}
			f.Close()
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		below.ServeHTTP(w, q)
	}, nil
}
