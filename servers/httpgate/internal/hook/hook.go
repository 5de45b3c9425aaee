// SPDX-License-Identifier: Apache-2.0

// Package hook is what parts of the gate that do not know each other have in common:
// who calls, and what may stand around a request. main.go puts the parts together.
package hook

import (
	"net/http"

	"onewake.example/httpgate/internal/config"
)

// Identity is who calls. Nobody is nil.
type Identity struct {
	Name   string // a login: lists of services name it
	AppKey int64
	Kind   string // basic apikey jwt mtls
	Scopes []string
	Proof  string // what was compared with: Again() is for the Identifier
}

// Refused says that a caller is not let in, and what it is told.
type Refused struct {
	Status    int    // 401, 403
	Challenge string // WWW-Authenticate
	Text      string
}

func (r *Refused) Error() string { return r.Text }

// Identifier finds out who calls. `names`: of the <auth> that the route takes, one of
// which must do. An error is *Refused, or means that it could not be found out: 503.
type Identifier interface {
	Identify(r *http.Request, names []string) (*Identity, error)
	// Again finds out whether a request that lasts would be let in as `was` again, now. It
	// costs less than Identify: no password is compared, if the hash is still the same.
	Again(r *http.Request, names []string, was *Identity) (*Identity, error)
}

// Answer is one that is kept: whole, and as it is before it is compressed.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// The memory itself refuses the request: in place of a body. NULL: it does not.
	Problem *Problem
}

// Problem is what a problem+json says of it.
type Problem struct {
	Type, Work, Detail string
}

// Memory keeps first answers. `what` is what the request gives to its service beside its URL:
// with other ones it is another request. Serve calls next at most once, or gives the answer that
// an earlier request of the same identity, route and key has got. next says whether
// nothing was done, for sure: then its answer is not kept, and the key is free. What
// Serve returns is on disk, if it is kept, before anybody is sent it.
type Memory interface {
	Serve(r *http.Request, what []string, who *Identity, route *config.Route,
		next func(r *http.Request) (a *Answer, notDone bool)) *Answer
	Close()
}

// Key is what tells identities apart.
type Key struct {
	Name   string
	AppKey int64
}

// Key of nobody is that of callers whom nobody knows.
func (i *Identity) Key() Key {
	if i == nil {
		return Key{}
	}
	return Key{i.Name, i.AppKey}
}
