// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"net/http"
)

// KindProblem is what its body is.
const KindProblem = "application/problem+json"

// Problem is an answer of RFC 9457.
type Problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Service string `json:"service,omitempty"`
	Code    int    `json:"tperrno,omitempty"`
	Name    string `json:"error,omitempty"`
	Urcode  int64  `json:"urcode,omitempty"`
	Work    string `json:"work,omitempty"` // not done, in part, failed, done, unknown
	Data    any    `json:"data,omitempty"` // what the service gave
	Trace   string `json:"trace,omitempty"`
}

// Body is its text; data that JSON cannot say are left out.
func (p *Problem) Body() []byte {
	p.Title = http.StatusText(p.Status)
	body, err := json.Marshal(p)
	if err != nil {
		p.Data = nil
		body, _ = json.Marshal(p)
	}
	return body
}
