// SPDX-License-Identifier: Apache-2.0

// gotestsv is the server of the tests: one service for each thing a handler may do.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	onewake "onewake.example/go"
)

type account struct {
	Number   string   `ubf:"T_ACCNUM"`
	Currency string   `ubf:"T_ACCCUR"`
	Balance  *float64 `ubf:"T_AMTAVL"`
}

var (
	meeting sync.Mutex
	there   int
	met     = make(chan struct{})
)

// meet returns when four requests are served at once.
func meet(context.Context, *onewake.Request) (any, error) {
	meeting.Lock()
	if there++; there == 4 {
		close(met)
	}
	meeting.Unlock()
	select {
	case <-met:
		return "met", nil
	case <-time.After(30 * time.Second):
		return nil, &onewake.Fail{Data: "alone"}
	}
}

func balance(_ context.Context, r *onewake.Request) (any, error) {
	var a account
	if err := r.Decode(&a); err != nil {
		return nil, err
	}
	if a.Number == "" {
		return nil, &onewake.Fail{Urcode: 1, Data: "no account"}
	}
	cents := 0.0
	for _, c := range a.Number {
		if c >= '0' && c <= '9' {
			cents = cents*10 + float64(c-'0')
		}
	}
	cents /= 100
	a.Balance = &cents
	return a, nil
}

func echo(_ context.Context, r *onewake.Request) (any, error) {
	var v any
	err := r.Decode(&v)
	return v, err
}

// converse returns each message with its number, until one is "bye".
func converse(_ context.Context, c *onewake.Conversation) (any, error) {
	var first, line string
	if err := c.Decode(&first); err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		for !c.MaySend() {
			if err := c.Recv(&line); err != nil {
				fmt.Println("the other end:", err)
				os.Stdout.Sync()
				return nil, err
			}
		}
		if line == "bye" {
			return onewake.Reply{Urcode: int64(n), Data: first + line}, nil
		}
		if err := c.Send(fmt.Sprint(n, line), onewake.Theirs); err != nil {
			return nil, err
		}
	}
}

// pieces sends bytes, as many as the numbers say that it was sent, and returns the last ones.
// Each piece has one value.
func pieces(_ context.Context, c *onewake.Conversation) (any, error) {
	var words string
	if err := c.Decode(&words); err != nil {
		return nil, err
	}
	sizes := strings.Fields(words)
	for i, word := range sizes {
		n, _ := strconv.Atoi(word)
		piece := bytes.Repeat([]byte{byte(i + 1)}, n)
		if i == len(sizes)-1 {
			return piece, nil
		}
		if err := c.Send(piece, onewake.Ours); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// badError is an error that cannot be asked what is inside.
type badError struct{}

func (badError) Error() string { return "bad" }
func (badError) Unwrap() error { panic("of the error itself") }

func main() {
	var client *onewake.Client
	async, _ := strconv.Atoi(os.Getenv("GOTESTSV_ASYNC"))
	s := &onewake.Server{
		Async: async,
		OnInit: func() (err error) {
			client, err = onewake.NewClient()
			return err
		},
		OnDone: func() { fmt.Println("done") },
	}
	s.Handle("GOECHO", echo)
	s.Handle("GOBALANCE", balance)
	s.Handle("GONAME", func(_ context.Context, r *onewake.Request) (any, error) {
		return onewake.Reply{Urcode: 7, Data: r.Service}, nil
	})
	s.Handle("GOPOINTER", func(context.Context, *onewake.Request) (any, error) {
		return &onewake.Reply{Data: "x"}, nil
	})
	s.Handle("GOPOINTED", func(context.Context, *onewake.Request) (any, error) {
		return &onewake.Forward{Service: "ECHO", Data: "x"}, nil
	})
	s.Handle("GOFAIL", func(_ context.Context, r *onewake.Request) (any, error) {
		return nil, &onewake.Fail{Urcode: 3, Data: "because"}
	})
	s.Handle("GOERROR", func(context.Context, *onewake.Request) (any, error) {
		return nil, errors.New("something is wrong")
	})
	s.Handle("GOSOFT", func(_ context.Context, r *onewake.Request) (any, error) {
		var ms string
		if err := r.Decode(&ms); err != nil {
			return nil, err
		}
		n, _ := strconv.Atoi(ms)
		time.Sleep(time.Duration(n) * time.Millisecond)
		return nil, &onewake.Fail{Code: onewake.TPEBLOCK}
	})
	s.Handle("GOPANIC", func(context.Context, *onewake.Request) (any, error) {
		var m map[string]int
		m["x"] = 1
		return nil, nil
	})
	s.Handle("GOEXIT", func(context.Context, *onewake.Request) (any, error) {
		runtime.Goexit()
		return nil, nil
	})
	s.Handle("GOCANNOT", func(context.Context, *onewake.Request) (any, error) {
		return make(chan int), nil
	})
	s.Handle("GONILFAIL", func(context.Context, *onewake.Request) (any, error) {
		var f *onewake.Fail
		return nil, f
	})
	s.Handle("GOBADERROR", func(context.Context, *onewake.Request) (any, error) {
		return nil, badError{}
	})
	s.Handle("GOFORWARD", func(_ context.Context, r *onewake.Request) (any, error) {
		var v any
		err := r.Decode(&v)
		return onewake.Forward{Service: "ECHO", Data: v}, err
	})
	s.Handle("GOCALL", func(ctx context.Context, r *onewake.Request) (any, error) {
		var v any
		if err := r.Decode(&v); err != nil {
			return nil, err
		}
		var out any
		err := client.Call(ctx, "ECHO", v, &out)
		return out, err
	})
	s.Handle("GOTRACE", func(ctx context.Context, _ *onewake.Request) (any, error) {
		return onewake.TraceOf(ctx).String(), nil
	})
	s.Handle("GOTRACED", func(ctx context.Context, _ *onewake.Request) (any, error) {
		var its string
		err := client.Call(ctx, "GOTRACE", nil, &its)
		return onewake.TraceOf(ctx).String() + " " + its, err
	})
	s.Handle("GOFOR", func(ctx context.Context, r *onewake.Request) (any, error) {
		var name, out string
		if err := r.Decode(&name); err != nil {
			return nil, err
		}
		c, err := onewake.NewClientFor(name, 42)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		err = c.Call(ctx, "WHOCALLS", nil, &out)
		return out, err
	})
	s.Handle("GOWHO", func(ctx context.Context, r *onewake.Request) (any, error) {
		name, err := r.Caller()
		at, limited := ctx.Deadline()
		return fmt.Sprintf("%q %d %v", name, r.AppKey,
			limited && time.Until(at) > 0), err
	})
	s.Handle("GOLATE", func(_ context.Context, r *onewake.Request) (any, error) {
		go func() {
			time.Sleep(20 * time.Millisecond)
			fmt.Println("late:", r.Decode(new(string)))
			os.Stdout.Sync()
		}()
		return nil, nil
	})
	s.Handle("GOSLEEP", func(context.Context, *onewake.Request) (any, error) {
		time.Sleep(300 * time.Millisecond)
		return "slept", nil
	})
	s.Handle("GOMEET", meet)
	s.HandleConversation("GOCONV", converse)
	s.HandleConversation("GOPIECES", pieces)
	switch os.Getenv("GOTESTSV_WRONG") {
	case "twice":
		s.Handle("GOECHO", echo)
	case "nil":
		s.Handle("GONIL", nil)
	case "done":
		s.OnDone = func() { panic("a fault of done") }
	case "none":
		s = &onewake.Server{}
	}
	os.Exit(s.Run())
}
