// SPDX-License-Identifier: Apache-2.0

// gobench is the driver of bench/run bindings in Go, as bench/languages/client.py is:
//
//	gobench echo CALLS GOROUTINES [SERVICE]	a CARRAY of 200 bytes and back
//	gobench bank CALLS GOROUTINES		BALANCE, each reply checked
//	gobench fields TIMES			20 fields: struct to buffer, buffer to struct
//	gobench contexts TIMES			contexts made and freed, those of a client at a time
//
// It prints one JSON object, with the CPU time of this process and what was allocated
// for a call. "rss_kb" is its memory after a tenth, and at the end.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	onewake "onewake.example/go"
)

type account struct {
	Number    string  `ubf:"T_ACCNUM"`
	Currency  string  `ubf:"T_ACCCUR"`
	Available float64 `ubf:"T_AMTAVL,omitempty"`
}

type twenty struct {
	S1 string  `ubf:"L_S1"`
	S2 string  `ubf:"L_S2"`
	S3 string  `ubf:"L_S3"`
	S4 string  `ubf:"L_S4"`
	S5 string  `ubf:"L_S5"`
	S6 string  `ubf:"L_S6"`
	S7 string  `ubf:"L_S7"`
	S8 string  `ubf:"L_S8"`
	L1 int64   `ubf:"L_L1"`
	L2 int64   `ubf:"L_L2"`
	L3 int64   `ubf:"L_L3"`
	L4 int64   `ubf:"L_L4"`
	L5 int64   `ubf:"L_L5"`
	L6 int64   `ubf:"L_L6"`
	D1 float64 `ubf:"L_D1"`
	D2 float64 `ubf:"L_D2"`
	D3 float64 `ubf:"L_D3"`
	D4 float64 `ubf:"L_D4"`
	H1 int16   `ubf:"L_H1"`
	C1 []byte  `ubf:"L_C1"`
}

// least is the time of one of many, in ns, in the series that was disturbed least.
func least(times int, what func() error) int64 {
	each, best := times/100+1, time.Hour
	for i := 0; i < 100; i++ {
		begin := time.Now()
		for k := 0; k < each; k++ {
			if err := what(); err != nil {
				fail(err)
			}
		}
		if took := time.Since(begin) / time.Duration(each); took < best {
			best = took
		}
	}
	return best.Nanoseconds()
}

func fields(times int) {
	in := twenty{S1: "text 1", S2: "text 2", S3: "text 3", S4: "text 4",
		S5: "text 5", S6: "text 6", S7: "text 7", S8: "text 8",
		L1: 1000, L2: 2000, L3: 3000, L4: 4000, L5: 5000, L6: 6000,
		D1: 1.5, D2: 3, D3: 4.5, D4: 6, H1: 3, C1: []byte("bytes")}
	buffer, err := onewake.NewBuffer(&in)
	if err != nil {
		fail(err)
	}
	put := least(times, func() error { return buffer.Set(&in) })
	var out twenty
	get := least(times, func() error { return buffer.Decode(&out) })
	if !reflect.DeepEqual(in, out) {
		fail(fmt.Errorf("%+v is not %+v", out, in))
	}
	fmt.Printf(`{"put_ns":%d,"get_ns":%d}`+"\n", put, get)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gobench:", err)
	os.Exit(1)
}

func word(i int, otherwise string) string {
	if len(os.Args) > i {
		return os.Args[i]
	}
	return otherwise
}

func number(i, otherwise int) int {
	n, err := strconv.Atoi(word(i, strconv.Itoa(otherwise)))
	if err != nil {
		fail(err)
	}
	return n
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		fail(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// rss is the memory of this process, in kB.
func rss() (kb int) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fail(err)
	}
	for _, line := range strings.Split(string(text), "\n") {
		fmt.Sscanf(line, "VmRSS: %d kB", &kb)
	}
	return kb
}

func contexts(times int) {
	early, each := 0, 1+runtime.GOMAXPROCS(0)
	times /= each
	for i := 0; i < times; i++ {
		c, err := onewake.NewClient()
		if err != nil {
			fail(err)
		}
		if i%10 == 0 {
			if err := c.Call(context.Background(), "ECHO", "x", nil); err != nil {
				fail(err)
			}
		}
		c.Close()
		if i == times/10 {
			early = rss()
		}
	}
	files, _ := os.ReadDir("/proc/self/fd")
	fmt.Printf(`{"contexts":%d,"failed":0,"descriptors":%d,"rss_kb":[%d,%d]}`+"\n",
		times*each, len(files), early, rss())
}

func main() {
	what, n := word(1, "echo"), number(2, 1000)
	if what == "contexts" {
		contexts(n)
		return
	}
	if what == "fields" {
		fields(n)
		return
	}
	client, err := onewake.NewClient()
	if err != nil {
		fail(err)
	}
	bank := func(n int64) bool {
		a := account{Number: fmt.Sprintf("ACC%011d", n), Currency: "USD"}
		err := client.Call(context.Background(), "BALANCE", &a, &a)
		return err == nil && a.Available == float64(n)/100
	}
	data, service := bytes.Repeat([]byte{'x'}, 200), word(4, "ECHO")
	echo := func(int64) bool {
		var reply []byte
		err := client.Call(context.Background(), service, data, &reply)
		return err == nil && bytes.Equal(reply, data)
	}
	call := echo
	if what == "bank" {
		call = bank
	}
	call(1) // makes what the first call makes
	var next, failed, early atomic.Int64
	var all sync.WaitGroup
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	used, begin := cpuTime(), time.Now()
	for i := number(3, 1); i > 0; i-- {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := next.Add(1); k <= int64(n); k = next.Add(1) {
				if !call(k) {
					failed.Add(1)
				}
				if k == int64(n)/10 {
					early.Store(int64(rss()))
				}
			}
		}()
	}
	all.Wait()
	rate := float64(n) / time.Since(begin).Seconds()
	used = cpuTime() - used
	runtime.ReadMemStats(&after)
	client.Close()
	fmt.Printf(`{"calls":%d,"failed":%d,"calls_per_s":%.0f,"cpu_us":%.2f,`+
		`"allocations":%.1f,"bytes":%d,"collections":%d,"rss_kb":[%d,%d]}`+"\n",
		n, failed.Load(), rate, float64(used.Nanoseconds())/1000/float64(n),
		float64(after.Mallocs-before.Mallocs)/float64(n),
		(after.TotalAlloc-before.TotalAlloc)/uint64(n), after.NumGC-before.NumGC,
		early.Load(), rss())
}
