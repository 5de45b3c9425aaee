// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"container/list"
	"sync"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/hook"
)

// Identities that have a client of the domain at the same time, unless more call at
// once.
const mostClients = 64

// clients has a client of the domain for each identity that calls: lists of services
// hold for its name. Those who have not been heard of for longest leave.
type clients struct {
	mu   sync.Mutex
	all  map[hook.Key]*list.Element
	used *list.List // of *member, the last one used first
}

type member struct {
	who    hook.Key
	client *onewake.Client
	err    error
	ready  chan struct{}
	busy   int
}

func newClients() *clients {
	return &clients{all: map[hook.Key]*list.Element{}, used: list.New()}
}

// take gives the client of an identity; NULL: of callers whom nobody knows. give()
// follows.
func (c *clients) take(who *hook.Identity) (*member, error) {
	key := who.Key()
	c.mu.Lock()
	if e := c.all[key]; e != nil {
		m := e.Value.(*member)
		m.busy++
		c.used.MoveToFront(e)
		c.mu.Unlock()
		<-m.ready
		if m.err != nil {
			c.give(m)
			return nil, m.err
		}
		return m, nil
	}
	m := &member{who: key, busy: 1, ready: make(chan struct{})}
	c.all[key] = c.used.PushFront(m)
	old := c.leaving()
	c.mu.Unlock()
	for _, o := range old {
		o.Close()
	}
	m.client, m.err = onewake.NewClientFor(key.Name, key.AppKey)
	if m.err == nil {
		m.client.Patient()
	}
	close(m.ready)
	if m.err != nil {
		c.give(m)
		return nil, m.err
	}
	return m, nil
}

// leaving are clients that are one too many. Locked.
func (c *clients) leaving() (old []*onewake.Client) {
	for e := c.used.Back(); e != nil && c.used.Len() > mostClients; {
		m, before := e.Value.(*member), e.Prev()
		if m.busy == 0 {
			c.used.Remove(e)
			delete(c.all, m.who)
			old = append(old, m.client)
		}
		e = before
	}
	return old
}

func (c *clients) give(m *member) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.busy--
	if m.err != nil && m.busy == 0 {
		if e := c.all[m.who]; e != nil && e.Value == m {
			c.used.Remove(e)
			delete(c.all, m.who)
		}
	}
}

func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.all {
		if m := e.Value.(*member); m.client != nil {
			m.client.Close()
		}
	}
	c.all = map[hook.Key]*list.Element{}
	c.used.Init()
}
