// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// InForce is the file that ndrxd writes when a configuration is put in force, and
// keeps while the domain runs: variables are replaced, values are checked.
func InForce() string {
	return filepath.Join(os.Getenv("NDRX_APPHOME"), "run", "in_force.xml")
}

// ErrNone: the configuration has no <http> of the name.
var ErrNone = errors.New("the configuration has no such <http>")

// Load reads the <http> of this name from a file.
func Load(path, name string) (*HTTP, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := Read(f, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// Read reads the <http> of this name.
func Read(r io.Reader, name string) (*HTTP, error) {
	var in *HTTP
	d := xml.NewDecoder(r)
	for depth := 0; ; {
		t, err := d.Token()
		if err == io.EOF {
			return nil, ErrNone
		}
		if err != nil {
			return nil, err
		}
		switch e := t.(type) {
		case xml.StartElement:
			depth++
			if depth == 2 && e.Name.Local == "http" {
				if in, err = start(e); err != nil {
					return nil, err
				}
			} else if depth == 3 && in != nil {
				if err := in.add(e); err != nil {
					return nil, fmt.Errorf("<%s>: %w", e.Name.Local, err)
				}
			}
		case xml.EndElement:
			if depth == 2 && in != nil {
				if in.Name == name {
					return in, nil
				}
				in = nil
			}
			depth--
		}
	}
}

func attributes(e xml.StartElement) map[string]string {
	m := map[string]string{}
	for _, a := range e.Attr {
		// ow_config_print() escapes what would be a variable.
		m[a.Name.Local] = strings.ReplaceAll(a.Value, `\${`, "${")
	}
	return m
}

func start(e xml.StartElement) (*HTTP, error) {
	h := &HTTP{}
	defaults(h)
	if err := fill(h, attributes(e), true); err != nil {
		return nil, fmt.Errorf("<http>: %w", err)
	}
	return h, nil
}

// read is an element as T.
func read[T any](e xml.StartElement) (x T, err error) {
	defaults(&x)
	err = fill(&x, attributes(e), true)
	return x, err
}

func (h *HTTP) add(e xml.StartElement) error {
	switch e.Name.Local {
	case "auth":
		x, err := read[Auth](e)
		h.Auths = append(h.Auths, x)
		return err
	case "route":
		x, err := read[Route](e)
		x.complete()
		h.Routes = append(h.Routes, x)
		return err
	case "outgoing":
		x, err := read[Outgoing](e)
		h.Outgoing = append(h.Outgoing, x)
		return err
	case "host":
		x, err := read[Host](e)
		h.Hosts = append(h.Hosts, x)
		return err
	}
	return errors.New("not known")
}

// complete gives a route of ours what other members imply.
func (r *Route) complete() {
	r.Old = oldDefaults()
	if r.TimeoutMax < r.Timeout {
		r.TimeoutMax = r.Timeout
	}
	if r.Static != "" {
		r.Conv = "static"
		if r.Method == "POST" {
			r.Method = "GET"
		}
	}
	if (r.Events != "" || r.Conversation != "") && r.Method == "POST" {
		r.Method = "GET"
	}
	if len(r.Auth) == 1 && r.Auth[0] == "none" {
		r.Auth = nil
	}
}
