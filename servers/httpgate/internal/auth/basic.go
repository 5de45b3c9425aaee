// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// basic compares with the file of xadmin passwd: Argon2id in the form of libsodium. A
// comparison takes 64 MiB and a tenth of a second, so one is made at a time and some
// wait, and a password that was right is known for a minute, by a keyed hash in memory.
type basic struct {
	file  entries
	turn  chan struct{}
	hand  atomic.Int64 // comparisons that are made or wait
	mu    sync.Mutex
	key   [32]byte
	known map[[32]byte]time.Time // until when
}

const (
	rememberFor = time.Minute
	rememberMax = 10000
	// More would wait longer than their callers do.
	mostComparisons = 64
	// The most that a hash of the file may ask for: memory in KiB, and passes.
	memoryMax, passesMax = 1 << 20, 32
)

func newBasic(c config.Auth) (way, error) {
	b := &basic{turn: make(chan struct{}, 1), known: map[[32]byte]time.Time{}}
	b.file = entries{path: c.File, index: func(name, value string) (string, string, error) {
		_, err := readHash(value)
		return name, value, err
	}}
	if _, err := rand.Read(b.key[:]); err != nil {
		return nil, err
	}
	_, err := b.file.get()
	return b, err
}

func (b *basic) close() {}

func (b *basic) challenge() string { return `Basic realm="onewake", charset="UTF-8"` }

func (b *basic) offered(r *http.Request) bool {
	_, _, ok := r.BasicAuth()
	return ok
}

// The hash of no password, for names that are not there: they take as long.
const nobody = "$argon2id$v=19$m=65536,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$" +
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func (b *basic) identify(r *http.Request) (*hook.Identity, error) {
	name, password, _ := r.BasicAuth()
	lines, err := b.file.get()
	if err != nil {
		return nil, err
	}
	hash, there := lines[name]
	if !there {
		hash = nobody
	}
	mark := b.mark(name, password, hash)
	if !b.knows(mark) {
		right, err := b.compare(r.Context(), mark, hash, password)
		if err != nil {
			return nil, err
		}
		if !right || !there {
			return nil, unauthorized(b.challenge(), "wrong name or password")
		}
		b.remember(mark)
	}
	return &hook.Identity{Name: name, Kind: "basic", Proof: hash}, nil
}

// again: the password that was right is right as long as its hash is in the file.
func (b *basic) again(r *http.Request, was *hook.Identity) (*hook.Identity, error) {
	lines, err := b.file.get()
	if err != nil {
		return nil, err
	}
	if was.Kind == "basic" && was.Proof != "" && lines[was.Name] == was.Proof {
		return was, nil
	}
	return b.identify(r)
}

// mark has the hash of the file in it: a new password makes the old one unknown.
func (b *basic) mark(name, password, hash string) (mark [32]byte) {
	h := hmac.New(sha256.New, b.key[:])
	fmt.Fprintf(h, "%d:%s%d:%s%s", len(name), name, len(password), password, hash)
	h.Sum(mark[:0])
	return mark
}

func (b *basic) knows(mark [32]byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.known[mark])
}

func (b *basic) remember(mark [32]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if len(b.known) >= rememberMax {
		for m, until := range b.known {
			if now.After(until) {
				delete(b.known, m)
			}
		}
	}
	if len(b.known) < rememberMax {
		b.known[mark] = now.Add(rememberFor)
	}
}

func (b *basic) compare(ctx context.Context, mark [32]byte, hash, password string) (bool, error) {
	defer b.hand.Add(-1)
	if b.hand.Add(1) > mostComparisons {
		return false, &hook.Refused{Status: http.StatusServiceUnavailable,
			Text: "too many passwords are to be compared"}
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if b.knows(mark) {
		return true, nil // by one before, at the same time
	}
	h, err := readHash(hash)
	if err != nil {
		return false, err
	}
	got := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, uint32(len(h.sum)))
	return subtle.ConstantTimeCompare(got, h.sum) == 1, nil
}

type argonHash struct {
	memory, passes uint32
	lanes          uint8
	salt, sum      []byte
}

// readHash reads $argon2id$v=19$m=M,t=T,p=P$SALT$SUM.
func readHash(text string) (*argonHash, error) {
	h := &argonHash{}
	parts := strings.Split(strings.TrimRight(text, "\x00 "), "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != "v=19" {
		return nil, errors.New("no hash by Argon2id, version 19")
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); n != 3 {
		return nil, fmt.Errorf("cost %q: %w", parts[3], err)
	}
	if h.memory > memoryMax || h.passes < 1 || h.passes > passesMax || h.lanes < 1 {
		return nil, fmt.Errorf("cost %q is out of range", parts[3])
	}
	var err error
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err == nil {
		h.sum, err = base64.RawStdEncoding.DecodeString(parts[5])
	}
	if err == nil && (len(h.salt) < 8 || len(h.sum) < 16) {
		err = errors.New("salt or hash is too short")
	}
	return h, err
}
