// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/convert"
)

// The longest that a caller may wait for a message, in seconds.
const longestWait = 60

// queue makes what serves a route of a durable queue: GET takes a message, any other
// method puts one there.
func queue(r *config.Route) (func(*served, *answering, *http.Request), error) {
	space, name, ok := strings.Cut(r.Queue, "/")
	if !ok || space == "" || name == "" {
		return nil, errors.New("queue: give SPACE/QUEUE")
	}
	if r.Conv == "json2view" || r.Conv == "ext" {
		return nil, errors.New("queue: conv " + r.Conv + " is for services")
	}
	if r.Method == http.MethodHead {
		return nil, errors.New("queue: HEAD neither puts nor takes a message")
	}
	if r.Method == http.MethodGet {
		return func(v *served, w *answering, q *http.Request) { v.dequeue(w, q, space, name) }, nil
	}
	return func(v *served, w *answering, q *http.Request) { v.enqueue(w, q, space, name) }, nil
}

// enqueue answers 202 when the message is on disk, and not before.
func (v *served) enqueue(w *answering, r *http.Request, space, name string) {
	h, f := v.sends(w, r)
	defer h.end()
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	id, err := h.client.Enqueue(h.ctx, space, name, h.in)
	if err != nil {
		v.refuse(w, r, queueFailure(err))
		return
	}
	text, _ := json.Marshal(map[string]string{"id": id})
	v.write(w, r, &convert.Answer{Status: http.StatusAccepted, Kind: "application/json", Body: text})
}

// queueFailure: the queue itself refused (TPEDIAGNOSTIC), or there is none (TPENOENT):
// nothing is stored, and nothing taken. A message that the route cannot say is in its
// queue again, or lost, and named in the log.
func queueFailure(err error) *convert.Failure {
	f := convert.FailureOf(err)
	var misfit *onewake.MessageError
	if errors.As(err, &misfit) {
		onewake.Warnf("%v", err)
		if f.Status, f.Work = http.StatusBadGateway, convert.NotDone; !misfit.PutBack {
			f.Work = convert.Done
		}
		return f
	}
	if errors.Is(err, onewake.TPEDIAGNOSTIC) || errors.Is(err, onewake.TPENOENT) {
		f.Status, f.Work = http.StatusServiceUnavailable, convert.NotDone
	}
	return f
}

// waits is how long a GET waits: the parameter `wait`, in seconds.
func waits(r *http.Request) (time.Duration, *convert.Failure) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) {
		return 0, convert.Refuse(http.StatusBadRequest, "wait: give seconds")
	}
	if x > longestWait {
		x = longestWait
	}
	return time.Duration(x * float64(time.Second)), nil
}

// dequeue takes a message, once: it is gone from the queue before the answer is
// written. What cannot be written is put back, at the end of the queue.
func (v *served) dequeue(w *answering, r *http.Request, space, name string) {
	wait, f := waits(r)
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	h := &inHand{ctx: r.Context()}
	defer h.end()
	if f = v.enters(h); f == nil {
		f = v.joins(h, w)
	}
	if f != nil {
		v.refuse(w, r, f)
		return
	}
	var m onewake.Message
	id, err := v.take(h.ctx, h.client, space, name, wait, &m)
	switch {
	case errors.Is(err, onewake.ErrEmpty):
		v.write(w, r, &convert.Answer{Status: http.StatusNoContent})
		return
	case err != nil:
		v.refuse(w, r, queueFailure(err))
		return
	}
	p := v.c.Reply()
	if err = m.Decode(p.Into(false)); err == nil {
		err = v.c.Says(p)
	}
	if err != nil {
		v.refuse(w, r, queueFailure(&onewake.MessageError{ID: id, Err: err, PutBack: putBack(h.client, v.r.Queue, id, &m)}))
		return
	}
	if r.Context().Err() == nil {
		v.tell(w, r, nil, p, http.Header{"Message-Id": {id}})
		if http.NewResponseController(w).Flush() == nil {
			return
		}
	}
	putBack(h.client, v.r.Queue, id, &m) // the caller has gone
}

// putBack puts a message that nobody has got to the end of its queue.
func putBack(client *onewake.Client, queue, id string, m *onewake.Message) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := client.PutBack(ctx, m)
	if err != nil {
		onewake.Warnf("message %s of %s is lost: nobody has got it, and it cannot be put back: %v", id, queue, err)
	}
	return err == nil
}

func (v *served) take(ctx context.Context, client *onewake.Client, space, name string, wait time.Duration, m *onewake.Message) (string, error) {
	if wait <= 0 {
		return client.Dequeue(ctx, space, name, m)
	}
	until := time.Now().Add(wait)
	for nap := 2 * time.Millisecond; ; nap *= 2 {
		id, err := client.Dequeue(ctx, space, name, m)
		if !errors.Is(err, onewake.ErrEmpty) || time.Now().After(until) {
			return id, err
		}
		if nap > 50*time.Millisecond {
			nap = 50 * time.Millisecond
		}
		select {
		case <-time.After(nap):
		case <-ctx.Done():
			return "", onewake.ErrEmpty
		case <-v.g.stop:
			return "", onewake.ErrEmpty
		}
	}
}
