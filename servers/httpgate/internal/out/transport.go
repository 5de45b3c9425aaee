// SPDX-License-Identifier: Apache-2.0

package out

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// answers lets only answers through. 101 is none: its "body" is the connection, which no deadline
// ends, so a host that sends it would keep who reads that.
type answers struct {
	*http.Transport
}

var errSwitches = errors.New("the host has switched to another protocol (101)")

func (t answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := t.Transport.RoundTrip(r)
	if err == nil && a.StatusCode == http.StatusSwitchingProtocols {
		a.Body.Close()
		return nil, errSwitches
	}
	return a, err
}

// transports has one pool of connections for each way of TLS.
type transports struct {
	mu   sync.Mutex
	all  map[string]*http.Transport
	idle int // connections kept for each host
}

func (t *transports) of(s *Service) (*http.Transport, error) {
	key := fmt.Sprint(s.SSLInsecure, s.TLS)
	t.mu.Lock()
	defer t.mu.Unlock()
	if had := t.all[key]; had != nil {
		return had, nil
	}
	config, err := tlsOf(s)
	if err != nil {
		return nil, err
	}
	made := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   10 * time.Second,
		MaxIdleConnsPerHost:   t.idle,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	t.all[key] = made
	return made, nil
}

func tlsOf(s *Service) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: s.TLS.ServerName,
		InsecureSkipVerify: s.SSLInsecure} // what sslinsecure asks for
	if s.TLS.CA != "" {
		pem, err := os.ReadFile(s.TLS.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", s.TLS.CA)
		}
	}
	if s.TLS.Cert == "" {
		return c, nil
	}
	if _, err := tls.LoadX509KeyPair(s.TLS.Cert, s.TLS.Key); err != nil {
		return nil, err
	}
	// Read for each connection: a new certificate needs no restart.
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		cert, err := tls.LoadX509KeyPair(s.TLS.Cert, s.TLS.Key)
		return &cert, err
	}
	return c, nil
}
