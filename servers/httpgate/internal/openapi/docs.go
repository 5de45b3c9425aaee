// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"regexp"
	"sync"
)

//go:embed docs.html
var page []byte

var (
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
)

func source(pattern *regexp.Regexp) string {
	sum := sha256.Sum256(pattern.FindSubmatch(page)[1])
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// policy lets the page run the script that it has, talk to the gate, and nothing else.
var policy = "default-src 'none'; script-src " + source(scripts) + "; style-src " + source(styles) +
	"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Docs serves the page on which calls are tried.
func Docs(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if r.Method != http.MethodHead {
		_, _ = w.Write(page)
	}
}

// Serve serves a description.
func Serve(document []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodHead {
			_, _ = w.Write(document)
		}
	}
}

// ServeLatest serves a description that is made anew when its version has changed.
func ServeLatest(version func() int, document func() ([]byte, error)) http.HandlerFunc {
	var mu sync.Mutex
	var text []byte
	made := -1
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if v := version(); v != made {
			if t, err := document(); err == nil {
				text, made = t, v
			}
		}
		latest := text
		mu.Unlock()
		Serve(latest)(w, r)
	}
}
