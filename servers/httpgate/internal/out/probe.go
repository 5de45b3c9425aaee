// SPDX-License-Identifier: Apache-2.0

package out

import (
	"context"
	"sync"
	"time"
)

// Probe asks a host now and then whether it serves, by an echo service. Services that
// depend on it are offered while it does.
type Probe struct {
	e    *Endpoint
	mu   sync.Mutex
	next time.Time
	good int // one after the other
	bad  int
	up   bool
	busy bool
}

// Probes of all echo services, by name. At first no host is up.
func (p *Pool) Probes() map[string]*Probe {
	m := map[string]*Probe{}
	for name, e := range p.endpoints {
		if e.s.Echo {
			m[name] = &Probe{e: e}
		}
	}
	return m
}

// Tick begins a probe if it is time, and says whether the host is up. It does not wait.
func (p *Probe) Tick(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.busy && !now.Before(p.next) {
		p.busy = true
		p.next = now.Add(time.Duration(p.e.s.EchoTime) * time.Second)
		go p.ask()
	}
	return p.up
}

var echoKinds = map[string]string{"json2ubf": "UBF", "json2view": "VIEW", "json": "JSON",
	"text": "STRING", "raw": "CARRAY"}

func (p *Probe) ask() {
	kind := echoKinds[p.e.s.EchoConv]
	m := &Message{Kind: kind, Body: []byte(p.e.s.EchoData)}
	r := p.e.Call(context.Background(), m)
	p.note(p.e.s.Answer(kind, &r).Code == 0)
}

// note counts an outcome: after so many of one kind the host is up, or is not.
func (p *Probe) note(good bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
	if good {
		p.good, p.bad = p.good+1, 0
	} else {
		p.good, p.bad = 0, p.bad+1
	}
	if p.good >= p.e.s.EchoMinOK {
		p.up = true
	}
	if p.bad >= p.e.s.EchoMaxFail {
		p.up = false
	}
}
