// SPDX-License-Identifier: Apache-2.0

// Package auth finds out who sends a request: by a password of xadmin passwd, a key, a
// token, or a certificate.
//
// Who is found out becomes a login of the domain: the lists of services hold for it. A
// request without credentials is told which ones would do; one with wrong ones is told
// no more than that.
package auth

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// Auth is all <auth> of a gate: a hook.Identifier.
type Auth struct {
	ways map[string]way
	last *guesses
}

// way is one way to say who one is.
type way interface {
	// offered: has the request credentials of this kind?
	offered(r *http.Request) bool
	// identify finds out who it is; errors as of hook.Identifier.
	identify(r *http.Request) (*hook.Identity, error)
	challenge() string // for WWW-Authenticate
	close()
}

// lasting is a way for which a request that lasts is another matter than one that comes.
type lasting interface {
	again(r *http.Request, was *hook.Identity) (*hook.Identity, error)
}

var makers = map[string]func(config.Auth) (way, error){
	"basic": newBasic, "apikey": newAPIKey, "jwt": newJWT, "mtls": newMTLS}

// New makes them of the configuration.
func New(all []config.Auth) (*Auth, error) {
	a := &Auth{ways: map[string]way{}, last: newGuesses()}
	for _, c := range all {
		mk := makers[c.Kind]
		if mk == nil {
			return nil, fmt.Errorf("auth %s: kind %q is none of basic, apikey, jwt, mtls", c.Name, c.Kind)
		}
		w, err := mk(c)
		if err != nil {
			a.Close()
			return nil, fmt.Errorf("auth %s: %w", c.Name, err)
		}
		a.ways[c.Name] = w
	}
	return a, nil
}

// Close ends what runs beside.
func (a *Auth) Close() {
	for _, w := range a.ways {
		w.close()
	}
}

// Identify finds out who sends the request, by one of the ways that the route takes.
// No names: nobody is asked.
func (a *Auth) Identify(r *http.Request, names []string) (*hook.Identity, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var challenges []string
	for _, name := range names {
		w := a.ways[name]
		if w == nil {
			return nil, fmt.Errorf("there is no auth %s", name)
		}
		challenges = append(challenges, w.challenge())
		if !w.offered(r) {
			continue
		}
		// Whoever stands before the gate may have looked at the other one.
		if len(r.Header.Values("Authorization")) > 1 || twice(w, r) {
			return nil, &hook.Refused{Status: http.StatusBadRequest, Text: "more than one credential of a kind"}
		}
		return a.attempt(w, r)
	}
	return nil, unauthorized(strings.Join(challenges, ", "), "credentials are needed")
}

// Again: see hook.Identifier. An attempt that does not do is nobody's guess.
func (a *Auth) Again(r *http.Request, names []string, was *hook.Identity) (*hook.Identity, error) {
	for _, name := range names {
		w := a.ways[name]
		if w == nil {
			return nil, fmt.Errorf("there is no auth %s", name)
		}
		if !w.offered(r) {
			continue
		}
		if l, ok := w.(lasting); ok {
			return l.again(r, was)
		}
		return w.identify(r)
	}
	return nil, unauthorized("", "its credentials do not do any more")
}

// twice: has the request two keys?
func twice(w way, r *http.Request) bool {
	k, ok := w.(*apiKey)
	return ok && len(r.Header.Values(k.header)) > 1
}

// attempt finds out who it is by one way, if its address may try.
func (a *Auth) attempt(w way, r *http.Request) (*hook.Identity, error) {
	peer := hook.Peer(r.RemoteAddr).String()
	if err := a.last.begin(r.Context(), peer); err != nil {
		return nil, err
	}
	wrong := false
	defer func() { a.last.end(peer, wrong) }()
	who, err := w.identify(r)
	var refused *hook.Refused
	wrong = errors.As(err, &refused) && refused.Status == http.StatusUnauthorized
	return who, err
}

func unauthorized(challenge, text string) error {
	return &hook.Refused{Status: http.StatusUnauthorized, Challenge: challenge, Text: text}
}

func forbidden(text string) error {
	return &hook.Refused{Status: http.StatusForbidden, Text: text}
}

// maxName: characters of a login, as in the domain.
const maxName = 31

// isLogin: can the domain have a login of this name?
func isLogin(name string) bool {
	return name != "" && len(name) <= maxName && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(c rune) bool { return c == ':' || unicode.IsControl(c) })
}

// logins says which login a name or a scope is: the first rule that fits. Without
// rules the name is the login.
type logins []loginRule

type loginRule struct {
	isScope     bool
	value, name string
}

// readLogins reads scope:NAME=login and name:NAME=login.
func readLogins(words []string) (logins, error) {
	var l logins
	for _, word := range words {
		kind, rest, _ := strings.Cut(word, ":")
		i := strings.LastIndexByte(rest, '=')
		if (kind != "scope" && kind != "name") || i < 1 || !isLogin(rest[i+1:]) {
			return nil, fmt.Errorf("logins: %q: give scope:NAME=login or name:NAME=login", word)
		}
		l = append(l, loginRule{kind == "scope", rest[:i], rest[i+1:]})
	}
	return l, nil
}

func (l logins) find(name string, scopes []string) (string, error) {
	for _, rule := range l {
		if !rule.isScope && rule.value == name {
			return rule.name, nil
		}
		for _, s := range scopes {
			if rule.isScope && rule.value == s {
				return rule.name, nil
			}
		}
	}
	if len(l) > 0 {
		return "", forbidden("no rule of logins names this caller")
	}
	if !isLogin(name) {
		return "", forbidden("the name of this caller cannot be a login: logins says what it is here")
	}
	return name, nil
}
