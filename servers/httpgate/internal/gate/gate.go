// SPDX-License-Identifier: Apache-2.0

// Package gate takes requests, and calls services for them.
//
// A request has a goroutine, and its call has no thread (bindings/go). What was let in
// is answered once: by its reply, or by what is known of it when there will be none.
package gate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/ops"
	"onewake.example/httpgate/internal/route"
	"onewake.example/httpgate/internal/seen"
)

// Parts are what others put into a gate; NULL members: there is none.
type Parts struct {
	Identifier hook.Identifier
	Memory     hook.Memory
	Describe   http.Handler // /openapi.json
	Docs       http.Handler // /docs
	Seen       *seen.Book   // what services take and give
	Member     convert.Member
}

// Gate listens at one address.
type Gate struct {
	clients *clients
	server  *http.Server
	listen  net.Listener
	certs   *certificates // NULL: no TLS
	now     atomic.Pointer[state]
	bodies  budget
	uploads budget
	stats   *ops.Stats
	log     *ops.Log
	events  *hubs
	trans   *transactions
	// requests that last
	standing standing
	stop     chan struct{} // closed when the gate drains
	sockets  sync.WaitGroup
	once     sync.Once
}

// state is what a configuration makes: a request keeps the one it began with.
type state struct {
	cfg    *config.HTTP
	parts  Parts
	table  *route.Table
	limits convert.Limits
	stats  map[*ops.Route]ops.Target // of its routes
}

// New makes a gate that does not listen yet.
func New(cfg *config.HTTP, parts Parts) (*Gate, error) {
	g := &Gate{clients: newClients(), stats: ops.NewStats(), log: ops.NewLog(cfg.AccessLog),
		trans: newTransactions(), stop: make(chan struct{})}
	g.events = newHubs(g.subscribe)
	g.bodies.left.Store(bodies)
	g.uploads.left.Store(uploads)
	if err := g.Use(cfg, parts); err != nil {
		return nil, err
	}
	g.server = &http.Server{
		Handler:           g,
		MaxHeaderBytes:    int(cfg.HeaderMax),
		ReadHeaderTimeout: cfg.HeaderTime,
		ReadTimeout:       cfg.HeaderTime + cfg.BodyTime,
		IdleTimeout:       cfg.IdleTime,
		ErrorLog:          log.New(io.Discard, "", 0), // what peers do wrong
	}
	return g, nil
}

// WriteFigures writes what operators see of the gate.
func (g *Gate) WriteFigures(path string) error {
	about := &ops.About{Name: g.now.Load().cfg.Name}
	if g.certs != nil {
		about.Expires = g.certs.expires()
	}
	select {
	case <-g.stop:
	default:
		about.Address = g.listen.Addr().String()
	}
	return g.stats.Write(path, about)
}

// Use puts a configuration in force: for the requests that come from now on.
func (g *Gate) Use(cfg *config.HTTP, parts Parts) (err error) {
	s := &state{cfg: cfg, parts: parts, stats: map[*ops.Route]ops.Target{}, limits: convert.Limits{
		Depth: cfg.JSONDepth, Keys: cfg.JSONKeys, Digits: cfg.JSONDigits}}
	s.table, err = route.New(cfg.Routes, func(e *route.Entry) (http.Handler, error) {
		return g.serve(s, e)
	})
	if err == nil {
		g.now.Store(s)
		g.stats.InForce(s.stats)
	}
	return err
}

// Listen begins to listen.
func (g *Gate) Listen() error {
	cfg := g.now.Load().cfg
	l, err := net.Listen("tcp", net.JoinHostPort(cfg.IP, fmt.Sprint(cfg.Port)))
	if err != nil {
		return err
	}
	g.listen = limit(l, cfg)
	if cfg.TLSCert != "" {
		c, err := newCertificates(cfg)
		if err != nil {
			l.Close()
			return err
		}
		g.certs = c
		g.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12,
			NextProtos: []string{"h2", "http/1.1"}, GetConfigForClient: c.forClient,
			Certificates: c.now.Certificates}
	}
	return nil
}

// Serve serves until Drain().
func (g *Gate) Serve() error {
	go g.watch()
	var err error
	if g.server.TLSConfig != nil {
		err = g.server.ServeTLS(g.listen, "", "")
	} else {
		err = g.server.Serve(g.listen)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Drain takes no more connections, and waits for the requests in hand, up to the
// drain_time.
func (g *Gate) Drain() {
	g.once.Do(func() { close(g.stop) }) // streams of events end
	ctx, cancel := context.WithTimeout(context.Background(), g.now.Load().cfg.DrainTime)
	defer cancel()
	if g.server.Shutdown(ctx) != nil {
		g.server.Close()
	}
	g.waitForSockets(ctx)
	g.trans.close()
	g.events.close()
	g.clients.close()
	g.log.Close()
}

// waitForSockets waits until those who had a WebSocket are served: the server does not
// know of them any more.
func (g *Gate) waitForSockets(ctx context.Context) {
	served := make(chan struct{})
	go func() {
		g.sockets.Wait()
		close(served)
	}()
	select {
	case <-served:
	case <-ctx.Done():
	}
}

// client is that of an identity for one request; done() follows.
func (g *Gate) client(who *hook.Identity) (*onewake.Client, func(), error) {
	m, err := g.clients.take(who)
	if err != nil {
		return nil, nil, err
	}
	return m.client, func() { g.clients.give(m) }, nil
}
