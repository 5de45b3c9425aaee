// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"

	"onewake.example/httpgate/internal/convert"
)

// Shorter bodies are not worth it.
const worthIt = 1024

// compress compresses the body of an answer, if the caller takes that.
func compress(w http.ResponseWriter, r *http.Request, a *convert.Answer) {
	if len(a.Body) < worthIt || a.Kind == "application/octet-stream" || a.Header.Get("Content-Encoding") != "" {
		return
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if !takesGzip(r.Header.Get("Accept-Encoding")) {
		return
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = z.Write(a.Body)
	_ = z.Close()
	a.Body = out.Bytes()
	w.Header().Set("Content-Encoding", "gzip")
}

func takesGzip(accept string) bool {
	for _, word := range strings.Split(accept, ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(word), ";")
		q = strings.ReplaceAll(q, " ", "")
		if strings.EqualFold(name, "gzip") {
			return !strings.HasPrefix(q, "q=0") || strings.Trim(q, "q=0.") != ""
		}
	}
	return false
}
