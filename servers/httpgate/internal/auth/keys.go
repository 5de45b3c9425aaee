// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
)

// keySet has the keys of an issuer, of a URL or a file. They are fetched at the first
// token, every ten minutes, and when a token names a key that is not there, at most
// every ten seconds. While the issuer cannot be reached the former keys count.
type keySet struct {
	where  string
	client *http.Client
	one    singleflight.Group
	mu     sync.Mutex
	keys   map[string]jose.JSONWebKey
	asked  time.Time // last
	wrong  error     // of the last time
}

const (
	keysFor   = 10 * time.Minute
	askAgain  = 10 * time.Second
	fetchTime = 5 * time.Second
	maxSet    = 1 << 20
)

func newKeySet(where string) (*keySet, error) {
	s := &keySet{where: where, client: &http.Client{Timeout: fetchTime}}
	if strings.HasPrefix(where, "/") {
		return s, s.fetch()
	}
	u, err := url.Parse(where)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("jwks: %q is no URL and no path", where)
	}
	ip := net.ParseIP(u.Hostname())
	isLocal := u.Hostname() == "localhost" || (ip != nil && ip.IsLoopback())
	if u.Scheme != "https" && !(u.Scheme == "http" && isLocal) {
		return nil, fmt.Errorf("jwks: %q: keys come by https", where)
	}
	return s, nil
}

func (s *keySet) fetch() error {
	text, err := s.load()
	var keys map[string]jose.JSONWebKey
	if err == nil {
		keys, err = parseSet(text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.wrong = time.Now(), err
	if err == nil {
		s.keys = keys
	}
	return err
}

func (s *keySet) load() ([]byte, error) {
	if strings.HasPrefix(s.where, "/") {
		return os.ReadFile(s.where)
	}
	r, err := s.client.Get(s.where)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("jwks: %s", r.Status)
	}
	return io.ReadAll(io.LimitReader(r.Body, maxSet))
}

// fetchNow waits for a fetch, its own or that of another request.
func (s *keySet) fetchNow(ctx context.Context) {
	done := s.one.DoChan("", func() (any, error) { return nil, s.fetch() })
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (s *keySet) look(h jose.Header) (key *jose.JSONWebKey, age time.Duration, have bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.keys[h.KeyID]
	if !ok && h.KeyID == "" && len(s.keys) == 1 {
		for _, k = range s.keys {
			ok = true
		}
	}
	if ok && (k.Algorithm == "" || k.Algorithm == h.Algorithm) {
		key = &k
	}
	return key, time.Since(s.asked), s.keys != nil
}

// find gives the key that a token names; nil: the issuer has none. An error: there are
// no keys yet.
func (s *keySet) find(ctx context.Context, h jose.Header) (*jose.JSONWebKey, error) {
	key, age, have := s.look(h)
	switch {
	case key != nil && age > keysFor:
		go s.fetchNow(context.Background())
	case key == nil && (!have || age > askAgain):
		if !have && age < time.Second {
			break // it has just failed
		}
		s.fetchNow(ctx)
		key, _, have = s.look(h)
	}
	if key == nil && !have {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.wrong == nil {
			return nil, errors.New("the keys of the issuer have not come yet")
		}
		return nil, fmt.Errorf("the keys of the issuer: %w", s.wrong)
	}
	return key, nil
}
