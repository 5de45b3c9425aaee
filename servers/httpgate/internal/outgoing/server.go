// SPDX-License-Identifier: Apache-2.0

// Package outgoing makes services of URLs: a server that calls them, restoutsv, or a part
// of a gate.
package outgoing

import (
	"os"
	"path/filepath"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/out"
)

type program struct {
	config  *out.Config
	pool    *out.Pool
	probes  map[string]*out.Probe
	offered map[string]bool
	status  string
	said    string // the last error of the status file
	server  *onewake.Server
}

// Restoutsv makes a server of the section [@restout]: a program that is called so.
func Restoutsv() (*onewake.Server, error) {
	section, err := onewake.Config("@restout")
	if err != nil {
		return nil, err
	}
	c, err := out.Read(section)
	if err != nil {
		return nil, err
	}
	s := &onewake.Server{}
	return s, add(s, c)
}

// Offer adds the services of <outgoing>, and of the section that `restout` names, to a
// server.
func Offer(s *onewake.Server, h *config.HTTP) error {
	c, err := FromXML(h)
	if err != nil {
		return err
	}
	if h.Restout != "" {
		section, err := onewake.Config(h.Restout)
		if err != nil {
			return err
		}
		theirs, err := out.Read(section)
		if err != nil {
			return err
		}
		c.Services = append(c.Services, theirs.Services...)
		c.Warnings, c.Workers = theirs.Warnings, theirs.Workers
	}
	if len(c.Services) == 0 {
		return nil
	}
	return add(s, c)
}

// add puts the services into the server, beside what it does already.
func add(s *onewake.Server, c *out.Config) error {
	pool, err := out.NewPool(c)
	if err != nil {
		return err
	}
	p := &program{config: c, pool: pool, offered: map[string]bool{}, server: s}
	// As many calls at once; further ones wait in the queue.
	s.Async = max(s.Async, c.Workers)
	for _, v := range c.Services {
		h := &handler{pool.Endpoint(v.Name)}
		if v.DependsOn != "" {
			s.HandleLater(v.Name, h.serve)
		} else {
			s.Handle(v.Name, h.serve)
		}
	}
	s.OnInit, s.OnDone = also(s.OnInit, p.begin), after(p.end, s.OnDone)
	s.OnTick, s.TickEvery = after(s.OnTick, p.tick), c.ScanTime
	return nil
}

func also(first, second func() error) func() error {
	return func() error {
		if first != nil {
			if err := first(); err != nil {
				return err
			}
		}
		return second()
	}
}

func after(first, second func()) func() {
	return func() {
		if first != nil {
			first()
		}
		if second != nil {
			second()
		}
	}
}

func (p *program) begin() error {
	for _, w := range p.config.Warnings {
		onewake.Warnf("[@restout]: %s: it has no effect", w)
	}
	p.probes = p.pool.Probes()
	if home := os.Getenv("NDRX_APPHOME"); home != "" {
		p.status = out.StatusPath(filepath.Join(home, "run"), onewake.ServerID())
	}
	p.tick()
	return nil
}

func (p *program) end() {
	if p.status != "" {
		os.Remove(p.status)
	}
	p.pool.Close()
}

// tick offers and withdraws what depends on echo services, and says how hosts are.
func (p *program) tick() {
	now := time.Now()
	up := map[string]bool{}
	for name, probe := range p.probes {
		up[name] = probe.Tick(now)
	}
	for _, s := range p.config.Services {
		if s.DependsOn != "" && up[s.DependsOn] != p.offered[s.Name] {
			p.offer(s.Name, s.DependsOn, up[s.DependsOn])
		}
	}
	p.write()
}

func (p *program) offer(name, echo string, up bool) {
	act := p.server.Withdraw
	if up {
		act = p.server.Offer
	}
	if err := act(name); err != nil {
		onewake.Warnf("%s: %v", name, err)
		return
	}
	p.offered[name] = up
	onewake.Warnf("%s is offered: %v, as %s says", name, up, echo)
}

func (p *program) write() {
	if p.status == "" {
		return
	}
	err := out.WriteStatus(p.status, p.pool.States())
	if err != nil && err.Error() != p.said {
		p.said = err.Error()
		onewake.Warnf("status: %v", err)
	}
}
