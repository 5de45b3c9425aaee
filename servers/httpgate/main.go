// SPDX-License-Identifier: Apache-2.0

// httpgate is a server that serves HTTP: it calls services for requests
// (doc/design/http.md).
//
//	httpgate [-n NAME] [-c FILE]	options after "--" in <appopt>
//
// -n: the name of its <http>. -c: the configuration, instead of the one in force.
// Under the name restincl it reads [@restin] of the ini configuration.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/gate"
	"onewake.example/httpgate/internal/outgoing"
)

// program is the gate of this process, and where its configuration comes from.
type program struct {
	theirs     bool // it is called restincl
	name, file string
	id         string // number of the server
	cfg        *config.HTTP
	client     *onewake.Client
	gate       *gate.Gate
	seen       os.FileInfo
	figures    string // run/http.ID
	schema     string // run/schema.ID
	over, done chan struct{}
}

// options reads those behind "--": the others are of the library.
func (p *program) options() error {
	args := []string{}
	for i, a := range os.Args {
		if a == "-i" && i+1 < len(os.Args) {
			p.id = os.Args[i+1]
		}
		if a == "--" {
			args = os.Args[i+1:]
			break
		}
	}
	p.figures = filepath.Join(os.Getenv("NDRX_APPHOME"), "run", "http."+p.id)
	p.schema = filepath.Join(filepath.Dir(p.figures), "schema."+p.id)
	p.theirs = filepath.Base(os.Args[0]) == "restincl"
	f := flag.NewFlagSet("httpgate", flag.ContinueOnError)
	f.StringVar(&p.name, "n", "", "name of the <http>")
	f.StringVar(&p.file, "c", config.InForce(), "configuration")
	return f.Parse(args)
}

// load reads the configuration, and warns of what has no effect.
func (p *program) load() (*config.HTTP, error) {
	cfg, err := p.read()
	if err == nil && len(cfg.Ignored) > 0 {
		onewake.Warnf("keys of restincl that have no effect here: %s", strings.Join(cfg.Ignored, ", "))
	}
	return cfg, err
}

func (p *program) read() (*config.HTTP, error) {
	if p.theirs {
		section, err := onewake.Config("@restin")
		if err != nil {
			return nil, err
		}
		return config.Restin(section)
	}
	cfg, err := config.Load(p.file, p.name)
	if err != nil || cfg.Restin == "" {
		return cfg, err
	}
	section, err := onewake.Config(cfg.Restin)
	if err != nil {
		return nil, err
	}
	return cfg, cfg.AddRestin(section)
}

func (p *program) begin() (err error) {
	if p.client, err = onewake.NewClient(); err != nil {
		return err
	}
	if p.cfg.Port == 0 {
		return nil // outgoing calls only
	}
	parts, err := parts(p.cfg, p.schema)
	if err != nil {
		return err
	}
	if p.gate, err = gate.New(p.cfg, parts); err != nil {
		return err
	}
	inForce(&parts, p.schema)
	if err = p.gate.Listen(); err != nil {
		return err
	}
	p.seen, _ = os.Stat(p.file)
	if err = p.gate.WriteFigures(p.figures); err != nil {
		onewake.Warnf("figures: %v", err)
	}
	go func() {
		if err := p.gate.Serve(); err != nil {
			onewake.Warnf("%v", err)
			os.Exit(1) // ndrxd starts it again
		}
	}()
	p.over, p.done = make(chan struct{}), make(chan struct{})
	go p.watch()
	return nil
}

// watch takes over a configuration that has been put in force, and writes the figures.
func (p *program) watch() {
	defer close(p.done)
	for n := 1; ; n++ {
		select {
		case <-time.After(250 * time.Millisecond):
		case <-p.over:
			return
		}
		if n%4 == 0 {
			_ = p.gate.WriteFigures(p.figures)
			p.writeSchema()
		}
		now, err := os.Stat(p.file)
		if p.theirs || err != nil || os.SameFile(now, p.seen) && now.ModTime() == p.seen.ModTime() {
			continue
		}
		p.seen = now
		p.reload()
	}
}

func (p *program) writeSchema() {
	if book == nil {
		return
	}
	if err := book.Write(p.schema); err != nil {
		onewake.Warnf("schema: %v", err)
	}
}

func (p *program) reload() {
	cfg, err := p.load()
	if err != nil {
		onewake.Warnf("configuration: %v: the one before is kept", err)
		return
	}
	parts, err := parts(cfg, p.schema)
	if err == nil {
		err = p.gate.Use(cfg, parts)
	}
	if err != nil {
		onewake.Warnf("configuration: %v: the one before is kept", err)
		return
	}
	inForce(&parts, p.schema)
}

func (p *program) end() {
	if p.gate != nil {
		p.gate.Drain()
	}
	if p.over != nil {
		close(p.over)
		<-p.done
		os.Remove(p.figures)
		p.writeSchema()
	}
	endParts()
	p.client.Close()
}

func run() (int, error) {
	p := &program{}
	if err := p.options(); err != nil {
		return 1, err
	}
	var err error
	if p.cfg, err = p.load(); err != nil {
		return 1, err
	}
	server := &onewake.Server{OnInit: p.begin, OnDone: p.end}
	if err := outgoing.Offer(server, p.cfg); err != nil {
		return 1, err
	}
	return server.Run(), nil
}

// runRestoutsv is the program under its other name: it calls URLs, and serves none.
func runRestoutsv() (int, error) {
	server, err := outgoing.Restoutsv()
	if err != nil {
		return 1, fmt.Errorf("[@restout]: %w", err)
	}
	return server.Run(), nil
}

// about answers --help and --version, as the library does for each server.
func about() (int, error) {
	status := (&onewake.Server{}).Run()
	if word(1) != "--version" && filepath.Base(os.Args[0]) == "httpgate" {
		fmt.Print("       httpgate key NAME             make a key of <auth kind=\"apikey\">\n" +
			"       httpgate import FILE [NUMBER] routes and fields of a description (OpenAPI)\n" +
			"application options: -n NAME, of its <http>; -c FILE, the configuration\n")
	}
	return status, nil
}

// Garbage is collected when there is as much as of what is used: in a gate that uses little, a
// hundred times a second, and each time takes 0.7 ms, in which requests wait for a CPU. This is used,
// and never touched: it takes no memory.
var unused = make([]byte, 16<<20)

func main() {
	runtime.KeepAlive(unused)
	name := filepath.Base(os.Args[0])
	program := run
	if name == "restoutsv" {
		program = runRestoutsv
	}
	switch t := tools[word(1)]; {
	case t != nil:
		program = t
	case word(1) == "--help", word(1) == "-h", word(1) == "--version":
		program = about
	}
	status, err := program()
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
	}
	os.Exit(status)
}
