// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"fmt"

	"onewake.example/httpgate/internal/config"
)

// Request makes of a body what a service is sent.
func Request(r *config.Route, body []byte, l *Limits) (any, error) {
	switch r.Conv {
	case "json2ubf":
		if len(body) == 0 {
			return map[string]any{}, nil
		}
		if err := l.Check(body); err != nil {
			return nil, err
		}
		return fields(body)
	}
	return nil, fmt.Errorf("conv %s", r.Conv)
}

// Reply is what a service has answered: Call() fills Into().
type Reply struct {
	text json.RawMessage
}

// Into is where the reply of a call goes.
func (p *Reply) Into(r *config.Route) any {
	return &p.text
}

// Body is the body of an answer, and its type.
func (p *Reply) Body(r *config.Route) ([]byte, string, error) {
	if len(p.text) == 0 {
		return []byte("{}"), "application/json", nil
	}
	return p.text, "application/json", nil
}
