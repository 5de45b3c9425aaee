// SPDX-License-Identifier: Apache-2.0

// bankgocl is bankcl in Go: goroutines that call BALANCE and check every reply.
//
//	bankgocl [CALLS [GOROUTINES]]
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"bank"

	onewake "onewake.example/go"
)

func argument(i, otherwise int) int {
	if len(os.Args) > i {
		if n, err := strconv.Atoi(os.Args[i]); err == nil {
			return n
		}
	}
	return otherwise
}

func main() {
	calls, callers := argument(1, 100000), argument(2, 10)
	client, err := onewake.NewClient()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bankgocl:", err)
		os.Exit(1)
	}
	defer client.Close()
	var next, wrong atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for i := 0; i < callers; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := next.Add(1); n <= int64(calls); n = next.Add(1) {
				a := bank.Account{Number: fmt.Sprintf("ACC%011d", n), Currency: "USD"}
				err := client.Call(context.Background(), "BALANCE", &a, &a)
				if err != nil || a.Available == nil || *a.Available != float64(n)/100 {
					wrong.Add(1)
				}
			}
		}()
	}
	all.Wait()
	seconds := time.Since(begin).Seconds()
	fmt.Printf("calls %d, wrong %d, %.0f calls/s\n", calls, wrong.Load(), float64(calls)/seconds)
	if wrong.Load() > 0 {
		os.Exit(1)
	}
}
