// SPDX-License-Identifier: Apache-2.0

// Package config is what the gate was told: <http> of the configuration in force, and
// the sections of the ini configuration that programs of restincl have.
//
// Defaults are here; the tables of libndrx/config/fields_http.c check names and values
// of the XML, and have the same keys.
package config

import (
	"encoding/json"
	"time"
)

// HTTP is an <http>: a gate. The key of a member is its attribute.
type HTTP struct {
	Name string `key:"name"`
	IP   string `key:"ip" default:"127.0.0.1"`
	Port int    `key:"port"`

	TLSCert string `key:"tls_cert_file"`
	TLSKey  string `key:"tls_key_file"`
	TLSCA   string `key:"tls_ca_file"`

	HeaderMax          Size          `key:"header_max" default:"16K"`
	BodyMax            Size          `key:"body_max" default:"1M"`
	HeaderTime         time.Duration `key:"header_time" default:"5"`
	BodyTime           time.Duration `key:"body_time" default:"30"`
	IdleTime           time.Duration `key:"idle_time" default:"60"`
	Connections        int           `key:"connections" default:"20000"`
	ConnectionsPerPeer int           `key:"connections_per_peer"`
	JSONDepth          int           `key:"json_depth" default:"32"`
	JSONKeys           int           `key:"json_keys" default:"10000"`
	JSONDigits         int           `key:"json_digits" default:"64"`
	DrainTime          time.Duration `key:"drain_time" default:"10"`

	AccessLog  string        `key:"access_log"`
	Gzip       bool          `key:"gzip"`
	Origins    []string      `key:"cors_origins"`
	CORSMaxAge time.Duration `key:"cors_max_age" default:"600"`

	OpenAPI        bool   `key:"openapi"`
	Docs           bool   `key:"docs"`
	Schema         bool   `key:"schema"`
	IdempotencyDir string `key:"idempotency_dir"`
	Restin         string `key:"restin"`
	Restout        string `key:"restout"`

	Auths    []Auth
	Routes   []Route
	Outgoing []Outgoing
	Hosts    []Host
	Ignored  []string // keys of restincl that have no effect
}

// Route is a <route>, or one of restincl: then Theirs is true, and the keys that only
// restincl has are in Old.
type Route struct {
	Method  string `key:"method" default:"POST"` // "": any
	Path    string `key:"path"`
	Service string `key:"svc"`
	Queue   string `key:"queue"`
	Events  string `key:"events"`

	Conversation string `key:"conversation"`

	Static  string `key:"staticdir"`
	Conv    string `key:"conv" default:"json2ubf"`
	Errors  string `key:"errors" default:"problem"`
	Unknown string `key:"unknown" default:"refuse"` // fields of a body
	Fields  string `key:"fields"`
	Status  string `key:"status"`

	Async        bool `key:"async"`
	Echo         bool `key:"echo"`
	Streamed     bool `key:"stream"`
	NoTime       bool `key:"notime"`
	Transactions bool `key:"transaction_handler"`
	ParseHeaders bool `key:"parseheaders"`

	FiltersIn  []string `key:"finman"`
	FiltersOut []string `key:"foutman"`

	Timeout     time.Duration `key:"timeout"`
	TimeoutMax  time.Duration `key:"timeout_max"`
	BodyMax     Size          `key:"body_max"`
	Concurrency int           `key:"concurrency" default:"256"`
	QueueMax    int           `key:"queue_max" default:"1024"`

	Auth        []string      `key:"auth"`
	Scopes      []string      `key:"scopes"`
	Rate        int           `key:"rate"`
	Idempotency time.Duration `key:"idempotency"`
	Summary     string        `key:"summary"`

	Theirs bool
	Old    Old
}

// Old has the keys of restincl that a route of ours does not have.
type Old struct {
	AsyncEcho    bool   `json:"asyncecho"`
	Format       string `json:"format"`
	URLField     string `json:"urlfield"`
	ParseCookies bool   `json:"parsecookies"`
	ParseForm    bool   `json:"parseform"`
	FileUpload   bool   `json:"fileupload"`
	TempDir      string `json:"tempdir"`

	ErrText       string `json:"errfmt_text"`
	ErrJSONMsg    string `json:"errfmt_json_msg"`
	ErrJSONCode   string `json:"errfmt_json_code"`
	ErrJSONOnSucc bool   `json:"errfmt_json_onsucc"`
	ErrViewMsg    string `json:"errfmt_view_msg"`
	ErrViewCode   string `json:"errfmt_view_code"`
	ErrViewOnSucc bool   `json:"errfmt_view_onsucc"`
	ErrViewRsp    string `json:"errfmt_view_rsp"`
	ErrViewFirst  bool   `json:"errfmt_view_rsp_first"`
	ViewNotNull   bool   `json:"view_notnull"`

	LogService string `json:"reqlogsvc"`
	NoLogBack  bool   `json:"noreqfilersp"`
	FinOpt     string `json:"finopt"`
	FinErr     string `json:"finerr"`
	FoutOpt    string `json:"foutopt"`
	FoutErr    string `json:"fouterr"`
	TxNoAbort  bool   `json:"txnoabort"`
	TxNoOptim  bool   `json:"txnooptim"`
}

// Auth is an <auth>: a way in which callers say who they are.
type Auth struct {
	Name     string   `key:"name"`
	Kind     string   `key:"kind"` // basic apikey jwt mtls
	File     string   `key:"file"`
	Header   string   `key:"header" default:"X-API-Key"`
	JWKS     string   `key:"jwks"`
	Issuer   string   `key:"issuer"`
	Audience string   `key:"audience"`
	Identity string   `key:"identity" default:"sub"`
	Logins   []string `key:"logins"`
}

// Outgoing is an <outgoing>, or a service of restoutsv: then Theirs has its JSON,
// merged with that of `defaults`.
type Outgoing struct {
	Service      string        `key:"svc"`
	URL          string        `key:"url"`
	Host         string        `key:"host"`
	Method       string        `key:"method" default:"POST"`
	Conv         string        `key:"conv" default:"json2ubf"`
	Errors       string        `key:"errors" default:"http"`
	Status       string        `key:"status"`
	Timeout      time.Duration `key:"timeout" default:"60"`
	ParseOnError bool          `key:"parseonerror"`
	Retries      int           `key:"retries"`
	Theirs       json.RawMessage
}

// Host is a <host>: where outgoing calls go.
type Host struct {
	Name         string        `key:"name"`
	Base         string        `key:"base"`
	Connections  int           `key:"connections" default:"64"`
	Breaker      int           `key:"breaker" default:"50"`
	BreakerTime  time.Duration `key:"breaker_time" default:"5"`
	RetryBudget  int           `key:"retry_budget" default:"10"`
	CA           string        `key:"ca_file"`
	Cert         string        `key:"cert_file"`
	Key          string        `key:"key_file"`
	Insecure     bool          `key:"sslinsecure"`
	TokenURL     string        `key:"token_url"`
	ClientID     string        `key:"client_id"`
	ClientSecret string        `key:"client_secret_file"`
	Scope        string        `key:"scope"`
}
