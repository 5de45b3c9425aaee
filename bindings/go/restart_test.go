// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// The story stops the domain and starts it again when it is told so.
func TestQuietlyGoesOnInTheNextDomain(t *testing.T) {
	c := client(t)
	ask := func(n int) (failed int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for i := 0; i < n; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				var s string
				if err := c.Call(bg, "ECHO", "x", &s); err != nil || s != "x" {
					mu.Lock()
					failed++
					mu.Unlock()
				}
			}()
		}
		all.Wait()
		return failed
	}
	equal(t, ask(100), 0)
	fmt.Println("stop now")
	for i := 0; i < 2000; i++ {
		if _, err := os.Stat("started"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ask(20) // contexts notice
	for i := 0; i < 5; i++ {
		equal(t, ask(200), 0)
	}
}
