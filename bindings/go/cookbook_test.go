// SPDX-License-Identifier: Apache-2.0

package onewake_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	onewake "onewake.example/go"
)

// The tasks of doc/bindings/go.md, word by word; story 099 compares, and starts
// what they call.

type account struct {
	Number    string   `ubf:"T_ACCNUM"`
	Currency  string   `ubf:"T_ACCCUR"`
	Available *float64 `ubf:"T_AMTAVL"`
}

func askWithAStruct(ctx context.Context, client *onewake.Client) (float64, error) {
	a := account{Number: "ACC00000000042", Currency: "USD"}
	if err := client.Call(ctx, "BALANCE", a, &a); err != nil {
		return 0, err
	}
	return *a.Available, nil
}

func askWithAMap(ctx context.Context, client *onewake.Client) (any, error) {
	in := map[string]any{"T_ACCNUM": "ACC00000000042", "T_ACCCUR": "USD"}
	var out map[string]any
	err := client.Call(ctx, "BALANCE", in, &out)
	return out["T_AMTAVL"], err
}

func waitASecondAtMost(client *onewake.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := client.Call(ctx, "SLEEP", "1500", nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("too slow: %w", err)
	}
	return err
}

func sayWhyItFailed(ctx context.Context, client *onewake.Client) (any, int64) {
	err := client.Call(ctx, "FAIL", "no money", nil)
	var e *onewake.Error
	if errors.As(err, &e) && e.Code == onewake.TPESVCFAIL {
		return e.Data, e.Urcode // what the service returned
	}
	return nil, 0
}

func askManyAtOnce(ctx context.Context, client *onewake.Client) []string {
	replies := make([]string, 100)
	var all sync.WaitGroup
	for i := range replies {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			_ = client.Call(ctx, "ECHO", fmt.Sprint(i), &replies[i])
		}(i)
	}
	all.Wait()
	return replies
}

func tellWithoutAReply(ctx context.Context, client *onewake.Client) error {
	return client.Send(ctx, "ECHO", "for the record")
}

func converse(ctx context.Context, client *onewake.Client) (lines []string, err error) {
	stream, err := client.Connect(ctx, "CONV", "send:a send:b return:c", onewake.Theirs)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	for {
		var line string
		err = stream.Recv(ctx, &line)
		if err == nil || err == io.EOF {
			lines = append(lines, line)
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func allOrNothing(ctx context.Context, client *onewake.Client) error {
	return client.Do(ctx, func(ctx context.Context) error {
		if err := client.Call(ctx, "A", "add:5", nil); err != nil {
			return err // and nothing has happened
		}
		return client.Call(ctx, "A", "add:2", nil)
	})
}

func putAndTake(ctx context.Context, client *onewake.Client) (order string, err error) {
	if _, err = client.Enqueue(ctx, "S", "ORDERS", "one coffee"); err != nil {
		return "", err
	}
	_, err = client.DequeueWait(ctx, "S", "ORDERS", &order)
	return order, err
}

func hearOfEvents(ctx context.Context, client *onewake.Client) (news string, err error) {
	events, err := client.Subscribe("NEWS.*", "")
	if err != nil {
		return "", err
	}
	defer events.Close()
	if err = client.Post(ctx, "NEWS.SPORT", "two to one"); err != nil {
		return "", err
	}
	err = (<-events.C).Decode(&news)
	return news, err
}

func TestCookbook(t *testing.T) {
	if os.Getenv("NDRX_QPREFIX") == "" {
		t.Skip("no domain: NDRX_QPREFIX is not set")
	}
	client, err := onewake.NewClient()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	is := func(what string, want any, got ...any) {
		t.Helper()
		if w, g := fmt.Sprint(want), fmt.Sprint(got...); w != g {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	x, err := askWithAStruct(ctx, client)
	is("struct", "0.42 <nil>", x, err)
	y, err := askWithAMap(ctx, client)
	is("map", "0.42 <nil>", y, err)
	if err := waitASecondAtMost(client); !errors.Is(err, onewake.TPETIME) {
		t.Error(err)
	}
	why, code := sayWhyItFailed(ctx, client)
	is("why", "no money", why)
	if code == 0 {
		t.Error("no urcode")
	}
	for i, r := range askManyAtOnce(ctx, client) {
		is("many", i, r)
	}
	is("send", "<nil>", tellWithoutAReply(ctx, client))
	lines, err := converse(ctx, client)
	is("stream", "[a b c] <nil>", lines, err)
	is("transaction", "<nil>", allOrNothing(ctx, client))
	order, err := putAndTake(ctx, client)
	is("queue", "one coffee<nil>", order, err)
	news, err := hearOfEvents(ctx, client)
	is("events", "two to one<nil>", news, err)
}
