// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// token takes JSON Web Tokens that an issuer has signed with a key of its set. Only
// signatures by key pairs count: nothing that a public key could be taken for.
type token struct {
	keys             *keySet
	issuer, audience string
	claim            string
	logins           logins
}

var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384,
	jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

const (
	leeway   = 30 * time.Second // of clocks
	maxToken = 16 << 10
)

func newJWT(c config.Auth) (way, error) {
	t := &token{issuer: c.Issuer, audience: c.Audience, claim: c.Identity}
	if t.claim == "" {
		t.claim = "sub"
	}
	if c.Issuer == "" || c.Audience == "" {
		return nil, errors.New("jwt needs issuer and audience: a token for others must not do")
	}
	var err error
	if t.logins, err = readLogins(c.Logins); err != nil {
		return nil, err
	}
	t.keys, err = newKeySet(c.JWKS)
	return t, err
}

func (t *token) close() {}

func (t *token) challenge() string { return `Bearer realm="onewake"` }

func bearer(r *http.Request) (string, bool) {
	kind, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(rest), strings.EqualFold(kind, "Bearer")
}

func (t *token) offered(r *http.Request) bool {
	_, ok := bearer(r)
	return ok
}

// claims beside those of the library.
type claims struct {
	Scope any `json:"scope"` // one string, or a list
	Scp   any `json:"scp"`
}

func (t *token) wrong(text string) error {
	return unauthorized(t.challenge()+`, error="invalid_token"`, "the token is not valid: "+text)
}

func (t *token) identify(r *http.Request) (*hook.Identity, error) {
	raw, _ := bearer(r)
	if len(raw) > maxToken {
		return nil, t.wrong("it is too long")
	}
	parsed, err := jwt.ParseSigned(raw, algorithms)
	if err != nil {
		return nil, t.wrong("it cannot be read, or its algorithm is none that counts")
	}
	if len(parsed.Headers) != 1 {
		return nil, t.wrong("it has not one signature")
	}
	key, err := t.keys.find(r.Context(), parsed.Headers[0])
	if err != nil {
		return nil, err // it is not known whether it is valid
	}
	if key == nil {
		return nil, t.wrong("no key of the issuer has signed it")
	}
	var standard jwt.Claims
	var more claims
	var all map[string]any
	if err := parsed.Claims(key, &standard, &more, &all); err != nil {
		return nil, t.wrong("its signature is wrong")
	}
	if standard.Expiry == nil {
		return nil, t.wrong("it never expires")
	}
	err = standard.ValidateWithLeeway(jwt.Expected{Issuer: t.issuer,
		AnyAudience: jwt.Audience{t.audience}, Time: time.Now()}, leeway)
	if err != nil {
		return nil, t.wrong(strings.TrimPrefix(err.Error(), "go-jose/go-jose/jwt: "))
	}
	name, _ := all[t.claim].(string)
	scopes := append(words(more.Scope), words(more.Scp)...)
	login, err := t.logins.find(name, scopes)
	if err != nil {
		return nil, err
	}
	return &hook.Identity{Name: login, Kind: "jwt", Scopes: scopes}, nil
}

func words(v any) []string {
	switch x := v.(type) {
	case string:
		return strings.Fields(x)
	case []any:
		var all []string
		for _, e := range x {
			if s, ok := e.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

func parseSet(text []byte) (map[string]jose.JSONWebKey, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("no JWKS: %w", err)
	}
	keys := map[string]jose.JSONWebKey{}
	for _, k := range set.Keys {
		if k.Valid() && k.IsPublic() && (k.Use == "" || k.Use == "sig") {
			keys[k.KeyID] = k
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the JWKS has no public key for signatures")
	}
	return keys, nil
}
