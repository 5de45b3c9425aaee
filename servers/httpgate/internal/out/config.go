// SPDX-License-Identifier: Apache-2.0

package out

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Service says how one service of the domain becomes requests of HTTP. The first
// keys are restoutsv's, with its defaults; those below are ours.
type Service struct {
	Name string `json:"-"`

	URLBase     string `json:"urlbase"`
	URL         string `json:"url"`
	SSLInsecure bool   `json:"sslinsecure"`
	Timeout     int    `json:"timeout"` // seconds
	Errors      string `json:"errors"`

	ErrText       string `json:"errfmt_text"`
	ErrJSONMsg    string `json:"errfmt_json_msg"`
	ErrJSONCode   string `json:"errfmt_json_code"`
	ErrJSONOnSucc bool   `json:"errfmt_json_onsucc"`
	ErrViewMsg    string `json:"errfmt_view_msg"`
	ErrViewCode   string `json:"errfmt_view_code"`
	ErrHTTPMap    string `json:"errors_fmt_http_map"`
	ParseOnError  bool   `json:"parseonerror"`
	ViewNotNull   bool   `json:"view_notnull"`

	Echo        bool   `json:"echo"`
	EchoTime    int    `json:"echo_time"` // seconds
	EchoMaxFail int    `json:"echo_max_fail"`
	EchoMinOK   int    `json:"echo_min_ok"`
	EchoConv    string `json:"echo_conv"`
	EchoData    string `json:"echo_data"`
	DependsOn   string `json:"depends_on"`

	Method   string            `json:"method"`
	Headers  map[string]string `json:"headers"`
	Query    map[string]string `json:"query"`
	Reply    string            `json:"reply"`     // ubf, view, json, text, raw; "": as the request
	MaxReply int64             `json:"max_reply"` // bytes
	// How often a request may be repeated. Only GET, HEAD, PUT, DELETE and OPTIONS
	// are, and what has idempotency_key.
	Retries        int     `json:"retries"`
	RetryBudget    float64 `json:"retry_budget"` // of the requests of a host
	IdempotencyKey bool    `json:"idempotency_key"`
	Breaker        Breaker `json:"breaker"`
	TLS            TLS     `json:"tls"`
	Auth           Auth    `json:"auth"`
	// A value of an answer that does not fit its field is told; restoutsv lets it be cut off.
	Fits bool `json:"-"`

	errText *regexp.Regexp
	httpMap map[string]int
	params  []string
}

// Breaker says when a host is left alone.
type Breaker struct {
	Failures int     `json:"failures"` // one after the other; 0: no breaker
	Ratio    float64 `json:"ratio"`    // of at least 20 requests within 10 seconds
	OpenFor  float64 `json:"open_for"` // seconds
}

// TLS says whom we believe, and who we are.
type TLS struct {
	CA         string `json:"ca"`
	Cert       string `json:"cert"`
	Key        string `json:"key"`
	ServerName string `json:"server_name"`
}

// Auth is how the service proves who it is: type basic, bearer, or oauth2 (client
// credentials). Secrets are in files, which are read again when they change.
type Auth struct {
	Type         string   `json:"type"`
	User         string   `json:"user"`
	SecretFile   string   `json:"secret_file"`
	TokenURL     string   `json:"token_url"`
	ClientID     string   `json:"client_id"`
	Scopes       []string `json:"scopes"`
	AuthInHeader *bool    `json:"auth_in_header"` // of the token request; nil: try both
}

// Config is the section [@restout].
type Config struct {
	Workers  int
	ScanTime int // seconds
	Services []*Service
	Warnings []string // keys that nobody knows: they have no effect
}

func defaults() Service {
	return Service{
		Timeout: 60, Errors: "json2ubf",
		ErrText:       `^([0-9]+):(.*)$`,
		ErrJSONMsg:    "error_message",
		ErrJSONCode:   "error_code",
		ErrJSONOnSucc: true,
		ErrHTTPMap:    "200:0,504:13,404:6,*:11",
		EchoTime:      5, EchoMaxFail: 2, EchoMinOK: 3,
		EchoConv: "json2ubf", EchoData: `{"EX_DATA_STR":"Echo test"}`,
		Method: http.MethodPost, MaxReply: 16 << 20, RetryBudget: 0.1,
		Breaker: Breaker{Failures: 5, Ratio: 0.5, OpenFor: 5},
	}
}

// Defaults is a service as it is without keys.
func Defaults(name string) *Service {
	s := defaults()
	s.Name = name
	return &s
}

// Read makes a Config of the keys of a section.
func Read(section map[string]string) (*Config, error) {
	c := &Config{Workers: 10, ScanTime: 1}
	common := defaults()
	var wrong []error
	if text, ok := section["defaults"]; ok {
		wrong = append(wrong, c.fill(&common, "defaults", text))
	}
	for _, key := range sorted(section) {
		value := section[key]
		name, isService := strings.CutPrefix(key, "service ")
		var err error
		switch {
		case isService:
			err = c.add(common, strings.TrimSpace(name), value)
		case key == "workers":
			c.Workers, err = positive(key, value)
		case key == "scan_time":
			c.ScanTime, err = positive(key, value)
		case key == "defaults", key == "debug", key == "gencore":
		default:
			c.Warnings = append(c.Warnings, fmt.Sprintf("unknown key %q", key))
		}
		wrong = append(wrong, err)
	}
	if len(c.Services) == 0 {
		wrong = append(wrong, errors.New("there is no key \"service NAME\""))
	}
	wrong = append(wrong, c.checkDependence())
	return c, errors.Join(wrong...)
}

func sorted(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func positive(key, value string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil || n < 1 {
		return 1, fmt.Errorf("%s: %q is no number above 0", key, value)
	}
	return n, nil
}

func (c *Config) fill(s *Service, what, text string) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	strict := d.Decode(new(Service))
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if strict != nil {
		c.Warnings = append(c.Warnings, what+": "+strict.Error())
	}
	return nil
}

// copied has maps of its own: JSON adds to those that are there.
func copied(m map[string]string) map[string]string {
	n := make(map[string]string, len(m))
	for k, v := range m {
		n[k] = v
	}
	return n
}

func (c *Config) add(s Service, name, text string) error {
	s.Name, s.Headers, s.Query = name, copied(s.Headers), copied(s.Query)
	if err := c.fill(&s, "service "+name, text); err != nil {
		return err
	}
	if err := s.Prepare(); err != nil {
		return fmt.Errorf("service %s: %w", name, err)
	}
	c.Services = append(c.Services, &s)
	return nil
}

var (
	param   = regexp.MustCompile(`\{([A-Za-z_]\w*)\}`)
	methods = map[string]bool{"GET": true, "HEAD": true, "PUT": true, "DELETE": true,
		"OPTIONS": true, "POST": false, "PATCH": false} // idempotent?
	modes   = map[string]bool{"http": true, "json": true, "json2ubf": true, "json2view": true, "text": true}
	replies = map[string]bool{"": true, "ubf": true, "view": true, "json": true, "text": true, "raw": true}
)

// Prepare checks the values, and compiles what is used for each request.
func (s *Service) Prepare() (err error) {
	if strings.HasPrefix(s.URL, "/") {
		s.URL = strings.TrimSuffix(s.URLBase, "/") + s.URL
	}
	u, err := url.Parse(param.ReplaceAllString(s.URL, "x"))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("url: %q is no URL of http or https", s.URL)
	}
	if strings.ContainsAny(u.Host, "{}") || param.MatchString(hostOf(s.URL)) {
		return fmt.Errorf("url: %q: the host is not taken from fields", s.URL)
	}
	if _, query, _ := strings.Cut(s.URL, "?"); param.MatchString(query) {
		return fmt.Errorf("url: %q: what follows ? is taken from fields by the key query", s.URL)
	}
	s.Method = strings.ToUpper(s.Method)
	if _, ok := methods[s.Method]; !ok {
		return fmt.Errorf("method: %q is not known", s.Method)
	}
	if !modes[s.Errors] {
		return fmt.Errorf("errors: %q is none of http, json, json2ubf, json2view, text", s.Errors)
	}
	if !replies[s.Reply] {
		return fmt.Errorf("reply: %q is none of ubf, view, json, text, raw", s.Reply)
	}
	if s.errText, err = regexp.Compile(s.ErrText); err != nil {
		return fmt.Errorf("errfmt_text: %w", err)
	}
	if s.errText.NumSubexp() < 2 {
		return fmt.Errorf("errfmt_text: %q has no two groups, for code and message", s.ErrText)
	}
	if s.Timeout < 1 || s.MaxReply < 1 || s.Retries < 0 || s.Retries > 10 {
		return errors.New("timeout, max_reply or retries: out of range")
	}
	if s.EchoTime < 1 || s.EchoMaxFail < 1 || s.EchoMinOK < 1 {
		return errors.New("echo_time, echo_max_fail or echo_min_ok: give 1 or more")
	}
	for _, m := range param.FindAllStringSubmatch(s.URL, -1) {
		s.params = append(s.params, m[1])
	}
	s.httpMap, err = readMap(s.ErrHTTPMap)
	return err
}

func hostOf(s string) string {
	_, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// readMap reads STATUS:TPERRNO,...,*:TPERRNO.
func readMap(text string) (map[string]int, error) {
	m := map[string]int{}
	for _, part := range strings.Split(text, ",") {
		status, code, ok := strings.Cut(strings.TrimSpace(part), ":")
		n, err := strconv.Atoi(strings.TrimSpace(code))
		if !ok || err != nil || n < 0 {
			return nil, fmt.Errorf("errors_fmt_http_map: %q: give STATUS:NUMBER", part)
		}
		m[strings.TrimSpace(status)] = n
	}
	return m, nil
}

func (c *Config) checkDependence() error {
	echoes := map[string]bool{}
	for _, s := range c.Services {
		echoes[s.Name] = s.Echo
	}
	for _, s := range c.Services {
		if s.DependsOn != "" && !echoes[s.DependsOn] {
			return fmt.Errorf("service %s: depends_on: %s is no service with echo",
				s.Name, s.DependsOn)
		}
	}
	return nil
}

// idempotent: may a request be sent twice?
func (s *Service) idempotent() bool {
	return methods[s.Method] || s.IdempotencyKey
}

func (s *Service) timeout() time.Duration {
	return time.Duration(s.Timeout) * time.Second
}
