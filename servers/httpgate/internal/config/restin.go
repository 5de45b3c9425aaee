// SPDX-License-Identifier: Apache-2.0

package config

import (
	"encoding/json"
	"fmt"
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

// AddRestin adds the routes of a section of restincl.
func (h *HTTP) AddRestin(section map[string]string) error {
	base := theirs{Old: oldDefaults(), Conv: "json2ubf", Errors: "json"}
	if text := section["defaults"]; text != "" {
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
		r, err := t.route(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		h.Routes = append(h.Routes, r)
	}
	return nil
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
