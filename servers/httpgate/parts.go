// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/auth"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/gate"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/idem"
	"onewake.example/httpgate/internal/openapi"
	"onewake.example/httpgate/internal/seen"
)

// memories outlive a reload: a process has a file of answers open once.
var memories = map[string]*idem.Memory{}

// parts are what stands around the requests of a gate. What the configuration asks for
// and is not there is an error: nothing is let in that nobody checks.
func parts(cfg *config.HTTP, schema string) (p gate.Parts, err error) {
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
	p.Seen = bookOf(cfg, schema)
	p.Member = openapi.ReadTables(os.Getenv).Member
	return p, describe(cfg, &p)
}

// inForce is called when a configuration is, which parts() made the parts of: what was noted
// goes when it may not be noted any more.
func inForce(p *gate.Parts, schema string) {
	if p.Seen == nil {
		os.Remove(schema)
	}
	book = p.Seen
}

// book outlives a reload, and by its file the process.
var book *seen.Book

// Numbers of types are in the id of a field: ubf.h.
var fieldTypes = map[int32]string{0: "short", 1: "long", 2: "char", 3: "float", 4: "double", 5: "string",
	6: "carray", 9: "ptr", 10: "ubf", 11: "view"}

func typeOf(field string) (string, bool) {
	id, err := onewake.FieldID(field)
	return fieldTypes[id>>25], err == nil
}

// bookOf is the book that a configuration lets there be: that of the one before, or the one
// of the file.
func bookOf(cfg *config.HTTP, path string) *seen.Book {
	switch {
	case !cfg.Schema:
		return nil
	case book != nil:
		return book
	}
	b := seen.New(typeOf)
	b.Load(path)
	return b
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
	document := func() ([]byte, error) {
		return openapi.Document(cfg, openapi.ReadTables(os.Getenv), p.Seen, title)
	}
	text, err := document()
	if err != nil {
		return err
	}
	p.Describe, p.Docs = openapi.Serve(text), http.HandlerFunc(openapi.Docs)
	if p.Seen != nil {
		p.Describe = openapi.ServeLatest(p.Seen.Version, document)
	}
	return nil
}
