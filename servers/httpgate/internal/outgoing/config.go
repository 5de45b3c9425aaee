// SPDX-License-Identifier: Apache-2.0

package outgoing

import (
	"fmt"
	"strings"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/out"
)

var replies = map[string]string{"json2ubf": "ubf", "json2view": "view", "json": "json", "text": "text",
	"raw": "raw"}

// FromXML makes services of <outgoing> and <host>.
func FromXML(h *config.HTTP) (*out.Config, error) {
	c := &out.Config{Workers: 1, ScanTime: 1}
	for i := range h.Outgoing {
		o := &h.Outgoing[i]
		s := out.Defaults(o.Service)
		s.URL, s.Method, s.Errors, s.ParseOnError = o.URL, o.Method, o.Errors, o.ParseOnError
		s.Retries, s.Reply, s.Fits = o.Retries, replies[o.Conv], true
		s.Timeout = max(1, int((o.Timeout+time.Second-1)/time.Second))
		if o.Status != "" {
			s.ErrHTTPMap = o.Status
		}
		if o.Host != "" {
			host := find(h.Hosts, o.Host)
			if host == nil {
				return nil, fmt.Errorf("outgoing %s: there is no host %s", o.Service, o.Host)
			}
			apply(host, s)
			c.Workers = max(c.Workers, host.Connections)
		} else {
			c.Workers = max(c.Workers, 10)
		}
		if err := s.Prepare(); err != nil {
			return nil, fmt.Errorf("outgoing %s: %w", o.Service, err)
		}
		c.Services = append(c.Services, s)
	}
	return c, nil
}

func find(all []config.Host, name string) *config.Host {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

func apply(h *config.Host, s *out.Service) {
	s.URLBase, s.SSLInsecure = h.Base, h.Insecure
	s.RetryBudget = float64(h.RetryBudget) / 100
	s.Breaker = out.Breaker{Failures: 5, Ratio: float64(h.Breaker) / 100, OpenFor: h.BreakerTime.Seconds()}
	if h.Breaker == 0 {
		s.Breaker.Failures = 0
	}
	s.TLS = out.TLS{CA: h.CA, Cert: h.Cert, Key: h.Key}
	if h.TokenURL != "" {
		s.Auth = out.Auth{Type: "oauth2", TokenURL: h.TokenURL, ClientID: h.ClientID,
			SecretFile: h.ClientSecret, Scopes: strings.Fields(h.Scope)}
	}
}
