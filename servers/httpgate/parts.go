// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

	"onewake.example/httpgate/internal/auth"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/gate"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/idem"
	"onewake.example/httpgate/internal/openapi"
)

// memories outlive a reload: a process has a file of answers open once.
var memories = map[string]*idem.Memory{}

// parts are what stands around the requests of a gate. What the configuration asks for
// and is not there is an error: nothing is let in that nobody checks.
func parts(cfg *config.HTTP) (p gate.Parts, err error) {
	if p.Identifier, err = auth.New(cfg.Auths); err != nil {
		return p, err
	}
	for i := range cfg.Routes {
		if cfg.Routes[i].Idempotency > 0 && p.Memory == nil {
			if p.Memory, err = memory(cfg); err != nil {
				return p, err
			}
		}
	}
	return p, describe(cfg, &p)
}

func memory(cfg *config.HTTP) (hook.Memory, error) {
	dir := cfg.IdempotencyDir
	if dir == "" {
		home := os.Getenv("NDRX_APPHOME")
		if home == "" {
			return nil, errors.New("idempotency: give idempotency_dir, or set NDRX_APPHOME")
		}
		dir = filepath.Join(home, "http."+cfg.Name)
	}
	if memories[dir] == nil {
		m, err := idem.Open(dir)
		if err != nil {
			return nil, err
		}
		memories[dir] = m
	}
	return memories[dir], nil
}

// endParts ends what outlives a reload.
func endParts() {
	for _, m := range memories {
		m.Close()
	}
}

func describe(cfg *config.HTTP, p *gate.Parts) error {
	if !cfg.OpenAPI && !cfg.Docs {
		return nil
	}
	title := cfg.Name
	if title == "" {
		title = "Services"
	}
	text, err := openapi.Document(cfg, openapi.ReadTables(os.Getenv), title)
	if err != nil {
		return err
	}
	p.Describe, p.Docs = openapi.Serve(text), http.HandlerFunc(openapi.Docs)
	return nil
}
