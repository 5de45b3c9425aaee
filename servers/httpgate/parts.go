// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/gate"
)

// parts are what stands around the requests of a gate. What the configuration asks for
// and is not there is an error: nothing is let in that nobody checks.
func parts(cfg *config.HTTP) (p gate.Parts, err error) {
	for i := range cfg.Routes {
		if len(cfg.Routes[i].Auth) > 0 && p.Identifier == nil {
			return p, errors.New("auth: this gate has no way to identify callers")
		}
		if cfg.Routes[i].Idempotency > 0 && p.Memory == nil {
			return p, errors.New("idempotency: this gate keeps no answers")
		}
	}
	return p, nil
}

// offer adds the services that call URLs. `client` gives the client of the gate, when
// the server has begun.
func offer(_ *onewake.Server, cfg *config.HTTP, _ func() *onewake.Client) error {
	if len(cfg.Outgoing) > 0 || cfg.Restout != "" {
		return errors.New("<outgoing>: this gate calls no URLs")
	}
	return nil
}
