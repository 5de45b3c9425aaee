// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// refused: nothing was done, and the error has words.
func refused(t *testing.T, err error, what, word string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != TPEINVAL || !e.NotDone || !strings.Contains(err.Error(), word) {
		t.Errorf("%s: %v", what, err)
	}
}

// Each operation of a client, as errors by their names.
func operations(c *Client, ctx context.Context) map[string]error {
	var m Message
	m.message = &message{queue: "Q"}
	_, connect := c.Connect(ctx, "CONV", nil, Theirs)
	_, enqueue := c.Enqueue(ctx, "S", "Q", "x")
	_, dequeue := c.Dequeue(ctx, "S", "Q", nil)
	_, dequeueWait := c.DequeueWait(ctx, "S", "Q", nil)
	return map[string]error{
		"Call":        c.Call(ctx, "ECHO", "x", nil),
		"Send":        c.Send(ctx, "ECHO", "x"),
		"Do":          c.Do(ctx, func(context.Context) error { panic("it was called") }),
		"Post":        c.Post(ctx, "NEWS", "x"),
		"PutBack":     c.PutBack(ctx, &m),
		"Connect":     connect,
		"Enqueue":     enqueue,
		"Dequeue":     dequeue,
		"DequeueWait": dequeueWait,
	}
}

func TestMisuseOfAClientThatWasNotMade(t *testing.T) {
	for _, c := range []*Client{nil, new(Client)} {
		for name, err := range operations(c, bg) {
			refused(t, err, name, "NewClient")
		}
		_, err := c.Subscribe("NEWS", "")
		refused(t, err, "Subscribe", "NewClient")
		_, err = c.Load(bg, "ECHO")
		refused(t, err, "Load", "NewClient")
		c.Patient()
		c.Close()
		c.Close()
	}
}

func TestMisuseWithoutAContext(t *testing.T) {
	c := client(t)
	var none context.Context
	for name, err := range operations(c, none) {
		refused(t, err, name, "ctx is nil")
	}
	refused(t, c.Do(bg, nil), "Do", "nil")
	stream, err := c.Connect(bg, "CONV", "send:a return:b", Theirs)
	check(t, err)
	refused(t, stream.Recv(none, nil), "Recv", "ctx is nil")
	refused(t, stream.Send(none, "x", Ours), "Send", "ctx is nil")
	stream.Close()
	stream.Close()
}

func TestMisuseOfWhatNobodyHasMade(t *testing.T) {
	for _, s := range []*Stream{nil, new(Stream)} {
		refused(t, s.Recv(bg, nil), "Recv", "Connect")
		refused(t, s.Send(bg, "x", Ours), "Send", "Connect")
		if s.MaySend() {
			t.Error("a stream that nobody has made may send")
		}
		s.Close()
	}
	for _, s := range []*Subscription{nil, new(Subscription)} {
		s.Close()
	}
	for _, m := range []*Message{nil, new(Message)} {
		if err := m.Decode(new(string)); err == nil {
			t.Error("a message that nobody has made is read")
		}
	}
	var l *Lent
	l.Free()
	new(Lent).Free()
	var b Buffer
	check(t, b.Decode(new(any)))
	b.Free()
	b.Free()
}

func TestMisuseOfAMessageThatIsBack(t *testing.T) {
	c := client(t)
	var m Message
	refused(t, c.PutBack(bg, &m), "PutBack of none", "Dequeue")
	refused(t, c.PutBack(bg, nil), "PutBack(nil)", "Dequeue")
	m.message = &message{queue: "Q"}
	m.isBack.Store(true)
	refused(t, c.PutBack(bg, &m), "PutBack twice", "is back")
}

// late is a context whose deadline has passed, and that does not say so, as that of a
// timer that has not run yet.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Now().Add(-time.Minute), true }

func TestMisuseOfDeadlines(t *testing.T) {
	c := client(t)
	for _, d := range []time.Duration{0, -time.Second, math.MinInt64} {
		ctx, cancel := context.WithTimeout(bg, d)
		var e *Error
		err := c.Call(ctx, "ECHO", "x", nil)
		if !errors.As(err, &e) || !e.NotDone || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a deadline %v from now: %v", d, err)
		}
		cancel()
	}
	begin := time.Now()
	err := c.Call(late{bg}, "SLEEP", "2000", nil)
	if !errors.Is(err, TPETIME) || time.Since(begin) > 1500*time.Millisecond {
		t.Errorf("a deadline that was before: %v after %v", err, time.Since(begin))
	}
	ctx, cancel := context.WithTimeout(bg, math.MaxInt64)
	defer cancel()
	check(t, c.Call(ctx, "ECHO", "x", nil))
}
