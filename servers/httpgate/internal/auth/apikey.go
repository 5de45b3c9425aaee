// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// apiKey looks a key up in a file of lines NAME:SHA256. Keys are random and long, so
// that a quick hash does: nobody tries 2^256 of them.
type apiKey struct {
	file   entries
	header string
}

func newAPIKey(c config.Auth) (way, error) {
	k := &apiKey{header: c.Header}
	if k.header == "" {
		k.header = "X-API-Key"
	}
	k.file = entries{path: c.File, index: func(name, value string) (string, string, error) {
		sum, err := hex.DecodeString(value)
		if err != nil || len(sum) != sha256.Size {
			return "", "", errors.New("no SHA-256 in hexadecimal digits")
		}
		if !isLogin(name) {
			return "", "", errors.New("no login can have this name")
		}
		return string(sum), name, nil
	}}
	_, err := k.file.get()
	return k, err
}

func (k *apiKey) close() {}

func (k *apiKey) challenge() string { return fmt.Sprintf("ApiKey header=%q", k.header) }

func (k *apiKey) offered(r *http.Request) bool { return r.Header.Get(k.header) != "" }

func (k *apiKey) identify(r *http.Request) (*hook.Identity, error) {
	lines, err := k.file.get()
	if err != nil {
		return nil, err
	}
	// The time of the look-up tells of the hash of what was sent, not of a key.
	sum := sha256.Sum256([]byte(r.Header.Get(k.header)))
	name, ok := lines[string(sum[:])]
	if !ok {
		return nil, unauthorized(k.challenge(), "wrong key")
	}
	return &hook.Identity{Name: name, Kind: "apikey"}, nil
}

// NewKey makes a key of `name`: the key, for its owner, and its line of the file.
func NewKey(name string) (key, line string, err error) {
	if !isLogin(name) {
		return "", "", fmt.Errorf("%q: a name has 1 to %d characters, no colon", name, maxName)
	}
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", "", err
	}
	key = base64.RawURLEncoding.EncodeToString(random)
	sum := sha256.Sum256([]byte(key))
	return key, name + ":" + hex.EncodeToString(sum[:]), nil
}
