// SPDX-License-Identifier: Apache-2.0

// httpgate is a server that serves HTTP: it calls services for requests
// (doc/design/http.md).
//
//	httpgate [-n NAME] [-c FILE]	options after "--" in <appopt>
//
// -n: the name of its <http>. -c: the configuration, instead of the one in force.
package main

import (
	"flag"
	"fmt"
	"os"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/gate"
)

// options are those behind "--": the others are of the library.
func options() (name, file string, err error) {
	args := []string{}
	for i, a := range os.Args {
		if a == "--" {
			args = os.Args[i+1:]
			break
		}
	}
	f := flag.NewFlagSet("httpgate", flag.ContinueOnError)
	f.StringVar(&name, "n", "", "name of the <http>")
	f.StringVar(&file, "c", config.InForce(), "configuration")
	return name, file, f.Parse(args)
}

func run() (int, error) {
	name, file, err := options()
	if err != nil {
		return 1, err
	}
	cfg, err := config.Load(file, name)
	if err != nil {
		return 1, err
	}
	server := &onewake.Server{}
	var client *onewake.Client
	var g *gate.Gate
	server.OnInit = func() error {
		if client, err = onewake.NewClient(); err != nil {
			return err
		}
		parts, err := parts(cfg)
		if err != nil {
			return err
		}
		if g, err = gate.New(client, cfg, parts); err != nil {
			return err
		}
		if err := g.Listen(); err != nil {
			return err
		}
		go func() {
			if err := g.Serve(); err != nil {
				fmt.Fprintln(os.Stderr, "httpgate:", err)
				os.Exit(1) // ndrxd starts it again
			}
		}()
		return nil
	}
	server.OnDone = func() {
		g.Drain()
		client.Close()
	}
	if err := offer(server, cfg, func() *onewake.Client { return client }); err != nil {
		return 1, err
	}
	return server.Run(), nil
}

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "httpgate:", err)
	}
	os.Exit(status)
}
