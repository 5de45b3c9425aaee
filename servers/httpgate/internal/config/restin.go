// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

func oldDefaults() Old {
	return Old{
		URLField: "EX_IF_URL",
		ErrText:  "%d: %s", ErrJSONMsg: `"error_message":"%s"`,
		ErrJSONCode: `"error_code":%d`, ErrJSONOnSucc: true,
		ErrViewOnSucc: true, TxNoOptim: true,
	}
}

// theirs is a route of restincl as JSON says it.
type theirs struct {
	Old
	Service      string `json:"svc"`
	Conv         string `json:"conv"`
	Errors       string `json:"errors"`
	NoTime       bool   `json:"notime"`
	Async        bool   `json:"async"`
	Echo         bool   `json:"echo"`
	ParseHeaders bool   `json:"parseheaders"`
	Status       string `json:"errors_fmt_http_map"`
	FinMan       string `json:"finman"`
	FoutMan      string `json:"foutman"`
	Static       string `json:"staticdir"`
	Transactions bool   `json:"transaction_handler"`
}

// Restin makes a gate of a section of restincl: its keys with their values, variables
// replaced, sub-sections of NDRX_CCTAG merged.
func Restin(section map[string]string) (*HTTP, error) {
	h := &HTTP{}
	defaults(h)
	h.IP = "0.0.0.0"
	if ip := section["ip"]; ip != "" {
		h.IP = ip
	}
	port, err := strconv.Atoi(section["port"])
	if err != nil || port < 1 || port > 65535 {
		return nil, fmt.Errorf("port: %q is no TCP port", section["port"])
	}
	h.Port = port
	if tls, _ := truth(section["tls_enable"]); tls {
		h.TLSCert, h.TLSKey = section["tls_cert_file"], section["tls_key_file"]
		if h.TLSCert == "" || h.TLSKey == "" {
			return nil, fmt.Errorf("tls_enable: give tls_cert_file and tls_key_file")
		}
	}
	return h, h.AddRestin(section)
}

// AddRestin adds the routes of a section of restincl. What of it has no effect here is
// kept in Ignored, so that somebody hears of it.
func (h *HTTP) AddRestin(section map[string]string) error {
	base := theirs{Old: oldDefaults(), Conv: "json2ubf", Errors: "json"}
	for key := range section {
		if !strings.HasPrefix(key, "/") && !ownKeys[key] {
			h.Ignored = append(h.Ignored, key)
		}
	}
	defer func() { sort.Strings(h.Ignored) }()
	if text := section["defaults"]; text != "" {
		h.ignore("defaults", text)
		if err := json.Unmarshal([]byte(text), &base); err != nil {
			return fmt.Errorf("defaults: %w", err)
		}
	}
	paths := make([]string, 0, len(section))
	for key := range section {
		if strings.HasPrefix(key, "/") {
			paths = append(paths, key)
		}
	}
	sort.Strings(paths)
	for _, path := range paths {
		t := base
		if err := json.Unmarshal([]byte(section[path]), &t); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		h.ignore(path, section[path])
		r, err := t.route(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		h.Routes = append(h.Routes, r)
	}
	return nil
}

// Keys of a section that have an effect.
var ownKeys = map[string]bool{"port": true, "ip": true, "defaults": true, "tls_enable": true,
	"tls_cert_file": true, "tls_key_file": true}

// Keys of a route that restincl knows, and that have no effect here.
var idleKeys = map[string]bool{"reqlogsvc": true, "noreqfilersp": true, "txnoabort": true, "txnooptim": true}

// ignore keeps the keys of the JSON of a route that have no effect.
func (h *HTTP) ignore(where, text string) {
	var given map[string]json.RawMessage
	_ = json.Unmarshal([]byte(text), &given) // it is one: it has been read
	known := map[string]bool{}
	for _, t := range []reflect.Type{reflect.TypeFor[theirs](), reflect.TypeFor[Old]()} {
		for i := range t.NumField() {
			known[t.Field(i).Tag.Get("json")] = true
		}
	}
	for key := range given {
		if low := strings.ToLower(key); !known[low] || idleKeys[low] {
			h.Ignored = append(h.Ignored, where+" "+key)
		}
	}
}

var (
	theirConvs  = []string{"json2ubf", "json2view", "json", "text", "raw", "static", "ext"}
	theirErrors = []string{"http", "json", "json2ubf", "json2view", "text", "ext"}
)

func among(word string, list []string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

func (t *theirs) route(path string) (Route, error) {
	r := Route{}
	defaults(&r)
	r.Method, r.Path, r.Theirs, r.Old = "", path, true, t.Old
	r.Service, r.Conv, r.Errors = t.Service, t.Conv, t.Errors
	r.NoTime, r.Async, r.Echo = t.NoTime, t.Async, t.Echo
	r.ParseHeaders, r.Status = t.ParseHeaders, t.Status
	r.FiltersIn, r.FiltersOut = words(t.FinMan), words(t.FoutMan)
	r.Static, r.Transactions = t.Static, t.Transactions
	switch {
	case !among(r.Conv, theirConvs):
		return r, fmt.Errorf("conv: %q is not one of %v", r.Conv, theirConvs)
	case !among(r.Errors, theirErrors):
		return r, fmt.Errorf("errors: %q is not one of %v", r.Errors, theirErrors)
	case (r.Errors == "ext") && r.Conv != "ext":
		return r, fmt.Errorf("errors ext is for conv ext")
	case r.Conv == "static" && r.Static == "":
		return r, fmt.Errorf("conv static: give staticdir")
	case r.Service == "" && !r.Echo && r.Conv != "static" && !r.Transactions:
		return r, fmt.Errorf("give svc")
	}
	return r, nil
}
