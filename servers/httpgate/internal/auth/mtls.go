// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// mtls takes the name out of the certificate of the caller, which the TLS of the gate
// has verified (tls_ca_file).
type mtls struct {
	from   string
	logins logins
}

var certNames = map[string]func(*x509.Certificate) string{
	"cn": func(c *x509.Certificate) string { return c.Subject.CommonName },
	"dns": func(c *x509.Certificate) string {
		return first(c.DNSNames)
	},
	"email": func(c *x509.Certificate) string { return first(c.EmailAddresses) },
	"uri": func(c *x509.Certificate) string {
		if len(c.URIs) == 0 {
			return ""
		}
		return c.URIs[0].String()
	},
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func newMTLS(c config.Auth) (way, error) {
	m := &mtls{from: c.Identity}
	if m.from == "" || m.from == "sub" {
		m.from = "cn"
	}
	if certNames[m.from] == nil {
		return nil, fmt.Errorf("identity: %q is none of cn, dns, email, uri", m.from)
	}
	var err error
	m.logins, err = readLogins(c.Logins)
	return m, err
}

func (m *mtls) close() {}

func (m *mtls) challenge() string { return "Certificate" }

// A certificate that was not verified is none.
func (m *mtls) offered(r *http.Request) bool {
	return r.TLS != nil && len(r.TLS.VerifiedChains) > 0 && len(r.TLS.PeerCertificates) > 0
}

// again: TLS has looked at the end of the certificate when the connection began.
func (m *mtls) again(r *http.Request, _ *hook.Identity) (*hook.Identity, error) {
	if time.Now().After(r.TLS.PeerCertificates[0].NotAfter) {
		return nil, unauthorized(m.challenge(), "the certificate has ended")
	}
	return m.identify(r)
}

func (m *mtls) identify(r *http.Request) (*hook.Identity, error) {
	name, err := m.logins.find(certNames[m.from](r.TLS.PeerCertificates[0]), nil)
	if err != nil {
		return nil, err
	}
	return &hook.Identity{Name: name, Kind: "mtls"}, nil
}
