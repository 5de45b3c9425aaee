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
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	bodyMax int64 // bytes of a request, of routes that say nothing
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

// Open opens or makes the memory in a folder of its own. bodyMax: bytes of a request, of
// routes that say nothing.
func Open(dir string, bodyMax int64) (*Memory, error) {
	s, err := openStore(dir)
	if err != nil {
		return nil, err
	}
	m := &Memory{bodyMax: bodyMax, store: s, inHand: map[string]bool{}, stop: make(chan struct{})}
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
	if len(all) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(all[0])
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

// Serve calls next, or gives the answer that the key has. Without a key, and on routes
// that keep none, it calls next.
func (m *Memory) Serve(w http.ResponseWriter, r *http.Request, who *hook.Identity, route *config.Route,
	next func(w http.ResponseWriter, r *http.Request)) {
	key, err := readKey(r.Header)
	if route.Idempotency <= 0 || (err == nil && key == "") {
		next(w, r)
		return
	}
	if err != nil {
		problem(w, http.StatusBadRequest, "invalid-key", err.Error())
		return
	}
	most := m.bodyMax
	if route.BodyMax > 0 {
		most = int64(route.BodyMax)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		problem(w, http.StatusRequestEntityTooLarge, "too-large", err.Error())
		return
	}
	if errors.Is(err, hook.ErrNoMemory) {
		w.Header().Set("Connection", "close")
		w.Header().Set("Retry-After", "1")
		problem(w, http.StatusServiceUnavailable, "no-memory", err.Error())
		return
	}
	if err != nil {
		problem(w, http.StatusBadRequest, "incomplete", "the request did not come whole")
		return
	}
	name := "-"
	if who != nil {
		name = "=" + who.Name
	}
	// In a transaction that is rolled back nothing was done: another one, another key.
	id := hash(name, route.Method, route.Path, r.Header.Get(tranHeader), key)
	print := hash(r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), string(body))
	r.Body = hook.Whole(body)
	m.serve(w, r, id, print, route.Idempotency, next)
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

func (m *Memory) serve(w http.ResponseWriter, r *http.Request, id, print []byte, keep time.Duration,
	next func(w http.ResponseWriter, r *http.Request)) {
	if !m.take(string(id)) {
		w.Header().Set("Retry-After", "1")
		problem(w, http.StatusConflict, "running", "the first request with this key is still running")
		return
	}
	defer m.leave(string(id))
	now := time.Now()
	rec := &record{State: begun, Print: print, Since: now.UnixNano(), Expires: now.Add(keep).UnixNano()}
	had, err := m.store.begin(id, rec, now)
	if err != nil {
		log.Printf("idempotency: %v", err)
		w.Header().Set("Retry-After", "5")
		problem(w, http.StatusServiceUnavailable, "not-kept",
			"nothing was done: the key cannot be written down")
		return
	}
	if had != nil {
		repeat(w, had, print)
		return
	}
	// The call goes on when the caller hangs up: who comes again wants its answer.
	c := newCatcher()
	next(c, r.WithContext(context.WithoutCancel(r.Context())))
	m.keep(id, rec, c)
	c.send(w)
}

// keep writes the answer down. If that fails the key is in doubt from now on, and this
// caller gets its answer.
func (m *Memory) keep(id []byte, rec *record, c *catcher) {
	var err error
	if c.nothingDone() {
		err = m.store.drop(id, rec)
	} else {
		rec.State, rec.Status, rec.Header = done, c.status, c.header
		if rec.body = c.body.Bytes(); len(rec.body) > answerMax {
			rec.body, rec.Large = nil, true
		}
		err = m.store.end(id, rec)
	}
	if err != nil {
		log.Printf("idempotency: an answer is not kept, its key is in doubt: %v", err)
	}
}

// repeat answers a request whose key has a record.
func repeat(w http.ResponseWriter, had *record, print []byte) {
	switch {
	case !bytes.Equal(had.Print, print):
		problem(w, http.StatusUnprocessableEntity, "other-request",
			"this key was used for another request")
	case had.State != done:
		problem(w, http.StatusConflict, "in-doubt", "the first request with this key was begun at "+
			time.Unix(0, had.Since).UTC().Format(time.RFC3339)+
			" and not answered: whether it was done is not known. Find out before you use another key")
	case had.Large:
		problem(w, http.StatusConflict, "not-kept", fmt.Sprintf("the first request with this key was "+
			"answered with status %d; its answer was too large to be kept", had.Status))
	default:
		for name, values := range had.Header {
			w.Header()[name] = values
		}
		w.Header().Set("Idempotency-Replayed", "true")
		w.WriteHeader(had.Status)
		_, _ = w.Write(had.body)
	}
}

func problem(w http.ResponseWriter, status int, kind, detail string) {
	b, _ := json.Marshal(map[string]any{"type": "urn:onewake:idempotency:" + kind,
		"title": http.StatusText(status), "status": status, "detail": detail})
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
