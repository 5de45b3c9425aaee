// SPDX-License-Identifier: Apache-2.0

package out

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"golang.org/x/sync/singleflight"
)

// signer puts credentials into requests.
type signer struct {
	auth   Auth
	client *http.Client // for tokens
	one    singleflight.Group
	mu     sync.Mutex
	token  *oauth2.Token
	fresh  time.Time // from then on a new one is asked for
}

// A token request may take as long, whatever the deadline of the call that began it.
const tokenLimit = 30 * time.Second

func newSigner(s *Service, client *http.Client) (*signer, error) {
	a := s.Auth
	switch a.Type {
	case "":
		return nil, nil
	case "basic":
		if a.User == "" || a.SecretFile == "" {
			return nil, fmt.Errorf("auth: basic needs user and secret_file")
		}
	case "bearer":
		if a.SecretFile == "" {
			return nil, fmt.Errorf("auth: bearer needs secret_file")
		}
	case "oauth2":
		if a.TokenURL == "" || a.ClientID == "" || a.SecretFile == "" {
			return nil, fmt.Errorf("auth: oauth2 needs token_url, client_id and secret_file")
		}
	default:
		return nil, fmt.Errorf("auth: type %q is none of basic, bearer, oauth2", a.Type)
	}
	g := &signer{auth: a, client: client}
	_, err := g.secret()
	return g, err
}

// secret is read anew each time: whoever changes it need not tell us.
func (g *signer) secret() (string, error) {
	b, err := os.ReadFile(g.auth.SecretFile)
	return strings.TrimSpace(string(b)), err
}

func (g *signer) sign(ctx context.Context, r *http.Request) error {
	if g.auth.Type == "oauth2" {
		t, err := g.get(ctx)
		if err != nil {
			return err
		}
		t.SetAuthHeader(r)
		return nil
	}
	secret, err := g.secret()
	if err != nil {
		return err
	}
	if g.auth.Type == "basic" {
		r.SetBasicAuth(g.auth.User, secret)
	} else {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	return nil
}

// get gives a token that is good for a while. One request for all who wait; it goes
// on when the one that has begun it gives up.
func (g *signer) get(ctx context.Context) (*oauth2.Token, error) {
	g.mu.Lock()
	t, fresh := g.token, g.fresh
	g.mu.Unlock()
	now := time.Now()
	if t != nil && now.Before(fresh) {
		return t, nil
	}
	asked := g.one.DoChan("", g.ask)
	if t != nil && t.Valid() {
		return t, nil // a new one is on its way
	}
	select {
	case r := <-asked:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*oauth2.Token), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("token: %w", ctx.Err())
	}
}

func (g *signer) ask() (any, error) {
	secret, err := g.secret()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(),
		oauth2.HTTPClient, g.client), tokenLimit)
	defer cancel()
	c := clientcredentials.Config{ClientID: g.auth.ClientID, ClientSecret: secret,
		TokenURL: g.auth.TokenURL, Scopes: g.auth.Scopes}
	if in := g.auth.AuthInHeader; in != nil && *in {
		c.AuthStyle = oauth2.AuthStyleInHeader
	} else if in != nil {
		c.AuthStyle = oauth2.AuthStyleInParams
	}
	t, err := c.Token(ctx)
	if err != nil {
		return nil, fmt.Errorf("token: %w", err)
	}
	fresh := time.Now().Add(365 * 24 * time.Hour)
	if !t.Expiry.IsZero() {
		// Before the last fifth of its life.
		fresh = t.Expiry.Add(-time.Until(t.Expiry) / 5)
	}
	g.mu.Lock()
	g.token, g.fresh = t, fresh
	g.mu.Unlock()
	return t, nil
}

// forget: the host does not want the token that it was shown.
func (g *signer) forget(shown string) {
	if g == nil || g.auth.Type != "oauth2" {
		return
	}
	g.mu.Lock()
	if g.token != nil && strings.HasSuffix(shown, g.token.AccessToken) {
		g.token = nil
	}
	g.mu.Unlock()
}
