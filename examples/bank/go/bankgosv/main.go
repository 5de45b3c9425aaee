// SPDX-License-Identifier: Apache-2.0

// bankgosv is banksv in Go: the service BALANCE. ndrxd starts it as any program.
package main

import (
	"context"
	"os"

	"bank"

	onewake "onewake.example/go"
)

func main() {
	server := &onewake.Server{}
	server.Handle("BALANCE", func(_ context.Context, r *onewake.Request) (any, error) {
		var a bank.Account
		if err := r.Decode(&a); err != nil {
			return nil, err
		}
		if a.Number == "" || a.Currency == "" {
			return nil, &onewake.Fail{Urcode: 1}
		}
		available := bank.Balance(a.Number)
		a.Available = &available
		return a, nil
	})
	os.Exit(server.Run())
}
