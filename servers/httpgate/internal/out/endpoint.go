// SPDX-License-Identifier: Apache-2.0

// Package out makes requests of HTTP out of calls of services.
//
// A Pool has an endpoint for each service of the configuration. Endpoints of one host
// share its breaker and its budget of repetitions, and all with the same TLS share
// connections.
package out

import (
	"fmt"
	"net/http"
	"sort"
	"sync"
)

// Pool has the endpoints of a configuration.
type Pool struct {
	mu        sync.Mutex
	transport transports
	hosts     map[string]*host
	endpoints map[string]*Endpoint
}

// Endpoint makes the calls of one service.
type Endpoint struct {
	s      *Service
	client *http.Client
	host   *host
	sign   *signer
}

// NewPool makes a Pool for so many calls at once.
func NewPool(c *Config) (*Pool, error) {
	p := &Pool{transport: transports{all: map[string]*http.Transport{}, idle: c.Workers},
		hosts: map[string]*host{}, endpoints: map[string]*Endpoint{}}
	for _, s := range c.Services {
		e, err := p.endpoint(s)
		if err != nil {
			return nil, fmt.Errorf("service %s: %w", s.Name, err)
		}
		p.endpoints[s.Name] = e
	}
	return p, nil
}

// Redirects are answers: who follows one makes a request that nobody has configured.
func stay(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}

func (p *Pool) endpoint(s *Service) (*Endpoint, error) {
	t, err := p.transport.of(s)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{s: s, client: &http.Client{Transport: answers{t}, CheckRedirect: stay}}
	e.sign, err = newSigner(s, &http.Client{Transport: answers{t}, CheckRedirect: stay, Timeout: tokenLimit})
	name := hostOf(s.URL)
	if p.hosts[name] == nil {
		p.hosts[name] = newHost(name, s.Breaker, s.RetryBudget)
	}
	e.host = p.hosts[name]
	return e, err
}

// States of the hosts, by name.
func (p *Pool) States() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []State
	for _, h := range p.hosts {
		all = append(all, h.state())
	}
	sort.Slice(all, func(i, k int) bool { return all[i].Host < all[k].Host })
	return all
}

// Close closes idle connections.
func (p *Pool) Close() {
	for _, t := range p.transport.all {
		t.CloseIdleConnections()
	}
}

// Endpoint of a service of the configuration.
func (p *Pool) Endpoint(name string) *Endpoint {
	return p.endpoints[name]
}

// NeedsFields: are there places in the URL or the headers that fields fill?
func (e *Endpoint) NeedsFields() bool {
	for _, m := range []map[string]string{e.s.Headers, e.s.Query} {
		for _, v := range m {
			if param.MatchString(v) {
				return true
			}
		}
	}
	return len(e.s.params) > 0
}

// Service of the endpoint.
func (e *Endpoint) Service() *Service {
	return e.s
}
