// SPDX-License-Identifier: Apache-2.0

// goechosv is echosv of bench/ in Go: ECHO returns its data.
package main

import (
	"context"
	"os"

	onewake "onewake.example/go"
)

func main() {
	var server onewake.Server
	server.Handle("ECHO", func(_ context.Context, r *onewake.Request) (any, error) {
		var data []byte
		err := r.Decode(&data)
		return data, err
	})
	os.Exit(server.Run())
}
