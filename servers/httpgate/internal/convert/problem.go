// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// Problem is an answer of RFC 9457: what became of the work is in Work.
type Problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Service string `json:"service,omitempty"`
	Code    int    `json:"tperrno,omitempty"`
	Name    string `json:"error,omitempty"`
	Urcode  int64  `json:"urcode,omitempty"`
	Work    string `json:"work,omitempty"` // not done, failed, unknown
	Data    any    `json:"data,omitempty"` // what the service gave
	Trace   string `json:"trace,omitempty"`
}

// Write answers with it.
func (p *Problem) Write(w http.ResponseWriter) {
	if p.Type == "" {
		p.Type = "about:blank"
	}
	if p.Title == "" {
		p.Title = http.StatusText(p.Status)
	}
	body, err := json.Marshal(p)
	if err != nil {
		p.Data = nil
		body, _ = json.Marshal(p)
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status)
	_, _ = w.Write(body)
}
