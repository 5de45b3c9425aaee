// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/crypto/argon2"
	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

func equal(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func make1(t *testing.T, c config.Auth) *Auth {
	t.Helper()
	c.Name = "a"
	a, err := New([]config.Auth{c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func request(set func(*http.Request)) *http.Request {
	r := httptest.NewRequest("POST", "/x", nil)
	if set != nil {
		set(r)
	}
	return r
}

// status is what the caller would get, 0: it is let in.
func status(err error) int {
	var r *hook.Refused
	if err == nil {
		return 0
	}
	if errors.As(err, &r) {
		return r.Status
	}
	return 503
}

// A hash that xadmin passwd has made of "secret".
func hashOf(password string) string {
	salt := []byte("0123456789abcdef")
	sum := argon2.IDKey([]byte(password), salt, 2, 1024, 1, 32)
	b := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=19$m=1024,t=2,p=1$%s$%s", b.EncodeToString(salt), b.EncodeToString(sum))
}

func TestPasswordsOfTheFileCount(t *testing.T) {
	path := file(t, "anna:"+hashOf("secret")+"\nbob:"+hashOf("other")+"\n")
	a := make1(t, config.Auth{Kind: "basic", File: path})
	for _, c := range []struct {
		user, password string
		want           int
	}{{"anna", "secret", 0}, {"anna", "other", 401}, {"bob", "other", 0}, {"eve", "secret", 401},
		{"anna", "secret", 0}, {"", "", 401}} {
		who, err := a.Identify(request(func(r *http.Request) { r.SetBasicAuth(c.user, c.password) }), []string{"a"})
		equal(t, []any{c.user, status(err)}, []any{c.user, c.want})
		if err == nil {
			equal(t, []any{who.Name, who.Kind}, []any{c.user, "basic"})
		}
	}
	// A new password counts at once, the old one not any more.
	next := path + ".new"
	if err := os.WriteFile(next, []byte("anna:"+hashOf("new")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * lookAgain)
	for password, want := range map[string]int{"secret": 401, "new": 0} {
		_, err := a.Identify(request(func(r *http.Request) { r.SetBasicAuth("anna", password) }), []string{"a"})
		equal(t, []any{password, status(err)}, []any{password, want})
	}
}

func TestFilesOfOthersAndBrokenOnesAreRefused(t *testing.T) {
	path := file(t, "anna:"+hashOf("secret")+"\n")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	for _, c := range []config.Auth{
		{Kind: "basic", File: path}, {Kind: "basic", File: "/nowhere"}, {Kind: "basic", File: t.TempDir()},
		{Kind: "basic", File: file(t, "anna\n")}, {Kind: "basic", File: file(t, "anna:$argon2i$x\n")},
		{Kind: "basic", File: file(t, "anna:$argon2id$v=19$m=99999999,t=2,p=1$AAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAA\n")},
		{Kind: "apikey", File: file(t, "anna:1234\n")}, {Kind: "apikey", File: file(t, "a b c : x\n")},
		{Kind: "kerberos"}, {Kind: "jwt", JWKS: "https://h/x"}, {Kind: "mtls", Identity: "x"},
		{Kind: "jwt", JWKS: "http://issuer.example/keys", Issuer: "i", Audience: "a"},
		{Kind: "mtls", Logins: []string{"name:x=a:b"}},
	} {
		if _, err := New([]config.Auth{c}); err == nil {
			t.Errorf("%+v", c)
		}
	}
}

func TestKeysAreFoundByTheirHash(t *testing.T) {
	key, line, err := NewKey("shop")
	equal(t, err, nil)
	if strings.Contains(line, key) {
		t.Fatal("the file has the key")
	}
	a := make1(t, config.Auth{Kind: "apikey", File: file(t, "# keys\n"+line+"\n"), Header: "X-Key"})
	for k, want := range map[string]int{key: 0, key + "x": 401, "": 401} {
		who, err := a.Identify(request(func(r *http.Request) { r.Header.Set("X-Key", k) }), []string{"a"})
		equal(t, []any{k, status(err)}, []any{k, want})
		if err == nil {
			equal(t, who.Name, "shop")
		}
	}
	_, _, err = NewKey("a:b")
	if err == nil {
		t.Fatal("a name with a colon")
	}
}

type issuer struct {
	key     *rsa.PrivateKey
	kid     string
	fetches atomic.Int32
	down    atomic.Bool
	mu      sync.Mutex
}

func newIssuer(t *testing.T) (*issuer, string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	equal(t, err, nil)
	i := &issuer{key: key, kid: "k1"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.fetches.Add(1)
		if i.down.Load() {
			w.WriteHeader(500)
			return
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: i.key.Public(), KeyID: i.kid, Algorithm: "RS256", Use: "sig"}}})
	}))
	t.Cleanup(s.Close)
	return i, s.URL
}

func (i *issuer) sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	o := (&jose.SignerOptions{}).WithHeader("kid", kid)
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, o)
	equal(t, err, nil)
	all := map[string]any{"iss": "https://issuer", "aud": "bank", "sub": "anna",
		"exp": time.Now().Add(time.Hour).Unix(), "scope": "pay read"}
	for k, v := range claims {
		if v == nil {
			delete(all, k)
		} else {
			all[k] = v
		}
	}
	text, err := jwt.Signed(s).Claims(all).Serialize()
	equal(t, err, nil)
	return text
}

func TestTokensOfTheIssuerCount(t *testing.T) {
	i, url := newIssuer(t)
	other, _ := rsa.GenerateKey(rand.Reader, 2048)
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	public, _ := x509.MarshalPKIXPublicKey(i.key.Public())
	a := make1(t, config.Auth{Kind: "jwt", JWKS: url, Issuer: "https://issuer", Audience: "bank"})
	good := i.sign(t, jose.RS256, i.key, "k1", nil)
	none := strings.Split(good, ".")
	for name, c := range map[string]struct {
		token string
		want  int
	}{
		"good":      {good, 0},
		"audiences": {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"aud": []string{"x", "bank"}}), 0},
		"expired":   {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"exp": time.Now().Add(-time.Minute).Unix()}), 401},
		"just now":  {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"exp": time.Now().Add(-10 * time.Second).Unix()}), 0},
		"no end":    {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"exp": nil}), 401},
		"too early": {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}), 401},
		"issuer":    {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"iss": "https://evil"}), 401},
		"audience":  {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"aud": "shop"}), 401},
		"no aud":    {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"aud": nil}), 401},
		"other key": {i.sign(t, jose.RS256, other, "k1", nil), 401},
		"no key":    {i.sign(t, jose.RS256, i.key, "k9", nil), 401},
		"algorithm": {i.sign(t, jose.RS512, i.key, "k1", nil), 401},
		"ec":        {i.sign(t, jose.ES256, ec, "k1", nil), 401},
		"public":    {i.sign(t, jose.HS256, public, "k1", nil), 401}, // the oldest trick
		"none": {base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"k1"}`)) + "." +
			none[1] + ".", 401},
		"changed": {none[0] + "." + base64.RawURLEncoding.EncodeToString(
			[]byte(`{"iss":"https://issuer","aud":"bank","sub":"root","exp":99999999999}`)) + "." + none[2], 401},
		"garbage": {"x.y.z", 401}, "empty": {"", 401}, "long": {strings.Repeat("x", maxToken+1), 401},
		"no login": {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"sub": "auth0:anna"}), 403},
		"no sub":   {i.sign(t, jose.RS256, i.key, "k1", map[string]any{"sub": nil}), 403},
	} {
		a.last = newGuesses()
		who, err := a.Identify(request(func(r *http.Request) {
			r.Header.Set("Authorization", "bearer "+c.token)
		}), []string{"a"})
		equal(t, []any{name, status(err)}, []any{name, c.want})
		if err == nil {
			equal(t, []any{who.Name, who.Scopes}, []any{"anna", []string{"pay", "read"}})
		}
	}
	if n := i.fetches.Load(); n > 2 {
		t.Errorf("%d fetches of the keys", n)
	}
}

func (i *issuer) ask(t *testing.T, a *Auth, token string) int {
	_, err := a.Identify(request(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }), []string{"a"})
	return status(err)
}

func TestKeysOfTheIssuerChangeAndItMayBeDown(t *testing.T) {
	i, url := newIssuer(t)
	i.down.Store(true)
	a := make1(t, config.Auth{Kind: "jwt", JWKS: url, Issuer: "https://issuer", Audience: "bank"})
	set := a.ways["a"].(*token).keys
	old := i.sign(t, jose.RS256, i.key, "k1", nil)
	equal(t, i.ask(t, a, old), 503) // not 401: it may be valid
	i.down.Store(false)
	set.asked = time.Now().Add(-time.Hour)
	equal(t, i.ask(t, a, old), 0)
	i.down.Store(true)
	equal(t, i.ask(t, a, old), 0)
	i.mu.Lock()
	i.key, _ = rsa.GenerateKey(rand.Reader, 2048)
	i.kid = "k2"
	i.mu.Unlock()
	fresh := i.sign(t, jose.RS256, i.key, "k2", nil)
	i.down.Store(false)
	equal(t, i.ask(t, a, fresh), 401) // it was asked a moment ago
	set.mu.Lock()
	set.asked = time.Now().Add(-askAgain - time.Second)
	set.mu.Unlock()
	equal(t, i.ask(t, a, fresh), 0)
	equal(t, i.ask(t, a, old), 401)
}

func TestScopesBecomeLogins(t *testing.T) {
	i, url := newIssuer(t)
	a := make1(t, config.Auth{Kind: "jwt", JWKS: url, Issuer: "https://issuer", Audience: "bank",
		Logins: []string{"name:https://x/y=z=boss", "scope:admin=admin", "scope:pay=payer"}})
	for name, c := range map[string]struct {
		claims map[string]any
		want   string
	}{
		"first rule": {map[string]any{"scope": "pay admin"}, "admin"},
		"list":       {map[string]any{"scope": nil, "scp": []string{"x", "pay"}}, "payer"},
		"name":       {map[string]any{"sub": "https://x/y=z"}, "boss"},
		"none":       {map[string]any{"scope": "read"}, "403"},
	} {
		token := i.sign(t, jose.RS256, i.key, "k1", c.claims)
		who, err := a.Identify(request(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }), []string{"a"})
		got := fmt.Sprint(status(err))
		if err == nil {
			got = who.Name
		}
		equal(t, []any{name, got}, []any{name, c.want})
	}
}

func TestOnlyVerifiedCertificatesCount(t *testing.T) {
	a := make1(t, config.Auth{Kind: "mtls", Logins: []string{"name:shop.example=shop"}, Identity: "dns"})
	cert := &x509.Certificate{Subject: pkix.Name{CommonName: "anna"}, DNSNames: []string{"shop.example"}}
	with := func(chains [][]*x509.Certificate) *http.Request {
		return request(func(r *http.Request) {
			r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}, VerifiedChains: chains}
		})
	}
	_, err := a.Identify(with(nil), []string{"a"})
	equal(t, status(err), 401)
	who, err := a.Identify(with([][]*x509.Certificate{{cert}}), []string{"a"})
	equal(t, []any{status(err), who.Name}, []any{0, "shop"})
}

func TestARouteSaysWhichWaysWillDo(t *testing.T) {
	key, line, _ := NewKey("shop")
	a, err := New([]config.Auth{
		{Name: "b", Kind: "basic", File: file(t, "anna:"+hashOf("secret")+"\n")},
		{Name: "k", Kind: "apikey", File: file(t, line+"\n")}})
	equal(t, err, nil)
	who, err := a.Identify(request(nil), nil)
	equal(t, []any{who, err}, []any{(*hook.Identity)(nil), nil})
	_, err = a.Identify(request(nil), []string{"b", "k"})
	var refused *hook.Refused
	if !errors.As(err, &refused) || !strings.Contains(refused.Challenge, "Basic") ||
		!strings.Contains(refused.Challenge, "ApiKey") {
		t.Fatal(err)
	}
	withKey := request(func(r *http.Request) { r.Header.Set("X-API-Key", key) })
	who, err = a.Identify(withKey, []string{"b", "k"})
	equal(t, []any{err, who.Name}, []any{nil, "shop"})
	_, err = a.Identify(withKey, []string{"b"}) // a key does not do where a password is wanted
	equal(t, status(err), 401)
	_, err = a.Identify(withKey, []string{"x"})
	equal(t, status(err), 503)
}

func TestTwoCredentialsOfAKindAreNone(t *testing.T) {
	key, line, _ := NewKey("shop")
	a, err := New([]config.Auth{
		{Name: "b", Kind: "basic", File: file(t, "anna:"+hashOf("secret")+"\n")},
		{Name: "k", Kind: "apikey", File: file(t, line+"\n")}})
	equal(t, err, nil)
	for header, values := range map[string][]string{
		"Authorization": {"Basic YW5uYTpzZWNyZXQ=", "Basic ZXZlOng="}, "X-Api-Key": {key, "other"}} {
		_, err := a.Identify(request(func(r *http.Request) { r.Header[header] = values[:1] }), []string{"b", "k"})
		equal(t, []any{header, status(err)}, []any{header, 0})
		_, err = a.Identify(request(func(r *http.Request) { r.Header[header] = values }), []string{"b", "k"})
		equal(t, []any{header, status(err)}, []any{header, 400})
	}
}
