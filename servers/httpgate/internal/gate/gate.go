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
	"net"
	"net/http"
	"sync/atomic"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
	"onewake.example/httpgate/internal/hook"
	"onewake.example/httpgate/internal/route"
)

// Parts are what others put into a gate; NULL members: there is none.
type Parts struct {
	Identifier hook.Identifier
	Memory     hook.Memory
	Describe   http.Handler // /openapi.json
	Docs       http.Handler // /docs
}

// Gate listens at one address.
type Gate struct {
	client *onewake.Client
	server *http.Server
	listen net.Listener
	now    atomic.Pointer[state]
}

// state is what a configuration makes: a request keeps the one it began with.
type state struct {
	cfg    *config.HTTP
	parts  Parts
	table  *route.Table
	limits convert.Limits
}

// New makes a gate that does not listen yet.
func New(client *onewake.Client, cfg *config.HTTP, parts Parts) (*Gate, error) {
	g := &Gate{client: client}
	if err := g.Use(cfg, parts); err != nil {
		return nil, err
	}
	g.server = &http.Server{
		Handler:           g,
		MaxHeaderBytes:    int(cfg.HeaderMax),
		ReadHeaderTimeout: cfg.HeaderTime,
		ReadTimeout:       cfg.HeaderTime + cfg.BodyTime,
		IdleTimeout:       cfg.IdleTime,
	}
	return g, nil
}

// Use puts a configuration in force: for the requests that come from now on.
func (g *Gate) Use(cfg *config.HTTP, parts Parts) (err error) {
	s := &state{cfg: cfg, parts: parts, limits: convert.Limits{
		Depth: cfg.JSONDepth, Keys: cfg.JSONKeys, Digits: cfg.JSONDigits}}
	s.table, err = route.New(cfg.Routes, func(e *route.Entry) (http.Handler, error) {
		return g.serve(s, e)
	})
	if err == nil {
		g.now.Store(s)
	}
	return err
}

// Listen begins to listen.
func (g *Gate) Listen() (err error) {
	cfg := g.now.Load().cfg
	g.listen, err = net.Listen("tcp", net.JoinHostPort(cfg.IP, fmt.Sprint(cfg.Port)))
	if err != nil {
		return err
	}
	g.listen = limit(g.listen, cfg.Connections, cfg.ConnectionsPerPeer)
	if cfg.TLSCert != "" {
		cert, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if err != nil {
			return err
		}
		g.server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12,
			Certificates: []tls.Certificate{cert}}
	}
	return nil
}

// Serve serves until Drain().
func (g *Gate) Serve() error {
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
	ctx, cancel := context.WithTimeout(context.Background(), g.now.Load().cfg.DrainTime)
	defer cancel()
	if g.server.Shutdown(ctx) != nil {
		g.server.Close()
	}
}

// ServeHTTP serves a request.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := g.now.Load()
	s.table.ServeHTTP(w, r, func(status int) {
		(&convert.Problem{Status: status, Work: "not done"}).Write(w)
	})
}
