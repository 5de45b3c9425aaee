// SPDX-License-Identifier: Apache-2.0

// goledger is ledgercl and ledgersv of the audit in Go:
//
//	goledger -c NUMBER [-t GOROUTINES] [-T MS] [-1]	calls, until the ledger is full, or SIGTERM
//	goledger SERVER'S OPTIONS	serves LEDGER and PASS
package main

/*
#include <stdlib.h>
#include "bench/ledger.h"
#include "binding.h"
*/
import "C"

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	onewake "onewake.example/go"
)

const ticket = int(unsafe.Sizeof(C.struct_ow_ledger_ticket{}))

func fail(what string, err error) {
	fmt.Fprintln(os.Stderr, "goledger:", what, err)
	os.Exit(1)
}

func serve() {
	execute := func(_ context.Context, r *onewake.Request) (any, error) {
		C.ledger_answered()
		var data []byte
		if err := r.Decode(&data); err != nil || len(data) < ticket {
			return nil, fmt.Errorf("damaged: %v", err)
		}
		switch C.ledger_execute(unsafe.Pointer(&data[0]), C.uint64_t(len(data))) {
		case -1:
			return nil, errors.New("damaged")
		case C.OW_LEDGER_NONE:
			return nil, nil
		}
		return data, nil
	}
	var s onewake.Server
	s.Handle("LEDGER", execute)
	s.Handle("PASS", func(_ context.Context, r *onewake.Request) (any, error) {
		C.ledger_answered()
		var data []byte
		err := r.Decode(&data)
		return onewake.Forward{Service: "LEDGER", Data: data}, err
	})
	os.Exit(s.Run())
}

// length: most are small, one in 500 has 2 MB.
func length() int {
	switch r := rand.Intn(1000); {
	case r < 2:
		return 2 << 20
	case r < 50:
		return ticket + rand.Intn(60000)
	case r < 250:
		return ticket + rand.Intn(5000)
	}
	return ticket + rand.Intn(200)
}

var services = []string{"LEDGER", "LEDGER", "LEDGER", "PASS", "PASS", "ASK", "FLICKER"}

type caller struct {
	client *onewake.Client
	number C.uint32_t
	ms     int // of all calls; 0: each its own
}

func (c *caller) judge(e unsafe.Pointer, err error, reply []byte) (told, code int) {
	var x *onewake.Error
	switch {
	case err == nil && (len(reply) == 0 || C.ledger_is_of(e, unsafe.Pointer(&reply[0]), C.uint64_t(len(reply))) != 0):
		return C.OW_TOLD_RIGHT, 0
	case err == nil:
		return C.OW_TOLD_WRONG, 0
	case errors.Is(err, context.Canceled):
		return C.OW_TOLD_CANCELLED, 0
	case !errors.As(err, &x):
		fmt.Fprintln(os.Stderr, "goledger:", err)
		return C.OW_TOLD_ERROR, 255
	}
	if x.NotDone && (x.Code == onewake.TPETIME || x.Code == onewake.TPESVCERR) {
		return map[onewake.Code]int{onewake.TPETIME: C.OW_TOLD_UNSENT, onewake.TPESVCERR: C.OW_TOLD_ABSENT}[x.Code], int(x.Code)
	}
	switch x.Code {
	case onewake.TPETIME:
		return C.OW_TOLD_TIMEOUT, int(x.Code)
	case onewake.TPESVCERR:
		return C.OW_TOLD_REFUSED, int(x.Code)
	case onewake.TPENOENT, onewake.TPELIMIT:
		return C.OW_TOLD_ABSENT, int(x.Code)
	}
	fmt.Fprintln(os.Stderr, "goledger:", err)
	return C.OW_TOLD_ERROR, int(x.Code)
}

// once makes a call. False: the ledger is full.
func (c *caller) once() bool {
	n, ms := length(), c.ms
	if ms == 0 {
		ms = 1000 * (1 + rand.Intn(10))
	}
	buffer := C.malloc(C.size_t(n))
	defer C.free(buffer)
	e := C.ledger_begin(buffer, C.uint32_t(n), C.uint32_t(ms), C.uint32_t(rand.Intn(3)))
	if e == nil {
		return false
	}
	data := C.GoBytes(buffer, C.int(n))
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(ms)*time.Millisecond)
	defer cancel()
	if rand.Intn(50) == 0 {
		time.AfterFunc(time.Duration(rand.Intn(3000))*time.Microsecond, cancel)
	}
	service := services[rand.Intn(len(services))]
	if rand.Intn(20) == 0 {
		told, code := C.OW_TOLD_ONEWAY, 0
		if err := c.client.Send(ctx, service, data); err != nil {
			told, code = c.judge(e, err, nil)
		}
		C.ledger_end(e, C.int(told), C.int(code), c.number)
		return true
	}
	var reply []byte
	err := c.client.Call(ctx, service, data, &reply)
	told, code := c.judge(e, err, reply)
	C.ledger_end(e, C.int(told), C.int(code), c.number)
	return true
}

func main() {
	if r := C.ledger_open(); r != 0 {
		fail("ledger", syscall.Errno(-r))
	}
	if len(os.Args) < 2 || os.Args[1] != "-c" {
		serve()
	}
	number := flag.Int("c", 0, "")
	goroutines := flag.Int("t", 20, "")
	ms := flag.Int("T", 0, "")
	single := flag.Bool("1", false, "")
	flag.Parse()
	client, err := onewake.NewClient()
	if err != nil {
		fail("join", err)
	}
	c := &caller{client, C.uint32_t(*number), *ms}
	if *single {
		c.once()
		client.Close()
		return
	}
	C.ledger_watch()
	var over atomic.Bool
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		<-term
		over.Store(true)
	}()
	var all sync.WaitGroup
	for i := 0; i < *goroutines; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for !over.Load() && c.once() {
			}
		}()
	}
	all.Wait()
	client.Close()
}
