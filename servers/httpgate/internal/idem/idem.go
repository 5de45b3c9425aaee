// SPDX-License-Identifier: Apache-2.0

// Package idem keeps the first answer for an Idempotency-Key, and gives it again, also
// after a restart (draft-ietf-httpapi-idempotency-key-header).
//
// A key is of one identity and one route. While its request runs a second one gets 409;
// with another request 422. What a crash leaves stands at the states in store.go.
package idem

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// Memory is a hook.Memory.
type Memory struct {
	store   *store
	mu      sync.Mutex
	inHand  map[string]bool // ids of requests that run
	stop    chan struct{}
	stopped sync.WaitGroup
}

const (
	keyMax = 255
	// An answer that is larger is not kept: that it was given is.
	answerMax  = 4 << 20
	sweepEvery = 30 * time.Second
	// The header of a request in a transaction of the caller.
	tranHeader = "Endurox-Tptranid-Req"
)

// Open opens or makes the memory in a folder of its own.
func Open(dir string) (*Memory, error) {
	s, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	m := &Memory{store: s, inHand: map[string]bool{}, stop: make(chan struct{})}
	m.stopped.Add(1)
	go m.sweep()
	return m, nil
}

// Close ends it, after the last request.
func (m *Memory) Close() {
	close(m.stop)
	m.stopped.Wait()
	m.store.db.Close()
}

func (m *Memory) sweep() {
	defer m.stopped.Done()
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-t.C:
		}
		for n := 1; n > 0; {
			var err error
			if n, err = m.store.sweep(time.Now()); err != nil {
				log.Printf("idempotency: old keys are not removed: %v", err)
			}
		}
	}
}

// readKey takes the key out of the header: a string as structured fields have it, or as it
// is.
func readKey(h http.Header) (string, error) {
	all := h.Values("Idempotency-Key")
	key := strings.TrimSpace(strings.Join(all, ","))
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if len(all) > 1 || key == "" || len(key) > keyMax ||
		strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return "", fmt.Errorf("Idempotency-Key has 1 to %d printable characters", keyMax)
	}
	return key, nil
}

func hash(parts ...string) []byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return h.Sum(nil)
}

// Serve calls next, or gives the answer that the key has.
func (m *Memory) Serve(r *http.Request, what []string, who *hook.Identity, route *config.Route,
	next func(r *http.Request) (*hook.Answer, bool)) *hook.Answer {
	key, err := readKey(r.Header)
	if err != nil {
		return problem(http.StatusBadRequest, "invalid-key", notDone, err.Error())
	}
	name := "-"
	if who != nil {
		name = "=" + who.Name
	}
	// In a transaction that is rolled back nothing was done: another one, another key.
	id := hash(name, route.Method, route.Path, r.Header.Get(tranHeader), key)
	print := hash(append([]string{r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type")}, what...)...)
	return m.serve(r, id, print, route.Idempotency, next)
}

func (m *Memory) take(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.inHand[id] {
		return false
	}
	m.inHand[id] = true
	return true
}

func (m *Memory) leave(id string) {
	m.mu.Lock()
	delete(m.inHand, id)
	m.mu.Unlock()
}

func (m *Memory) serve(r *http.Request, id, print []byte, keep time.Duration,
	next func(r *http.Request) (*hook.Answer, bool)) *hook.Answer {
	if !m.take(string(id)) {
		a := problem(http.StatusConflict, "running", unknown, "the first request with this key is still running")
		a.Header.Set("Retry-After", "1")
		return a
	}
	defer m.leave(string(id)) // its record says what follows
	now := time.Now()
	rec := &record{State: begun, Print: print, Since: now.UnixNano(), Expires: now.Add(keep).UnixNano()}
	had, err := m.store.begin(id, rec, now)
	if err != nil {
		log.Printf("idempotency: %v", err)
		a := problem(http.StatusServiceUnavailable, "not-kept", notDone,
			"nothing was done: the key cannot be written down")
		a.Header.Set("Retry-After", "5")
		return a
	}
	if had != nil {
		return repeated(had, print)
	}
	// The call goes on when the caller hangs up: who comes again wants its answer.
	a, free := next(r.WithContext(context.WithoutCancel(r.Context())))
	if err := m.keep(id, rec, a, free); err != nil {
		// This caller gets its answer, and from now on the key is in doubt.
		log.Printf("idempotency: an answer is not kept, its key is in doubt: %v", err)
	}
	return a
}

// keep writes the answer down, or that there is none.
func (m *Memory) keep(id []byte, rec *record, a *hook.Answer, free bool) error {
	if free {
		return m.store.drop(id, rec)
	}
	rec.State, rec.Status, rec.Header, rec.body = done, a.Status, a.Header, a.Body
	if len(rec.body) > answerMax {
		rec.body, rec.Large = nil, true
	}
	return m.store.end(id, rec)
}

// repeated is the answer to a request whose key has a record.
func repeated(had *record, print []byte) *hook.Answer {
	switch {
	case !bytes.Equal(had.Print, print):
		return problem(http.StatusUnprocessableEntity, "other-request", notDone,
			"this key was used for another request")
	case had.State != done:
		return problem(http.StatusConflict, "in-doubt", unknown, "the first request with this key was begun at "+
			time.Unix(0, had.Since).UTC().Format(time.RFC3339)+
			" and not answered: whether it was done is not known. Find out before you use another key")
	case had.Large:
		return problem(http.StatusConflict, "not-kept", unknown, fmt.Sprintf("the first request with this key "+
			"was answered with status %d; its answer was too large to be kept", had.Status))
	}
	header := had.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Idempotency-Replayed", "true")
	return &hook.Answer{Status: had.Status, Header: header, Body: had.body}
}

// What became of the work, as other problems say it.
const (
	notDone = "not done"
	unknown = "unknown"
)

func problem(status int, kind, work, detail string) *hook.Answer {
	return &hook.Answer{Status: status, Header: http.Header{"Onewake-Work": {work}},
		Problem: &hook.Problem{Type: "urn:onewake:idempotency:" + kind, Work: work, Detail: detail}}
}
