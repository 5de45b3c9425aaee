// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"sync"
	"time"

	onewake "onewake.example/go"
	"onewake.example/httpgate/internal/config"
)

// certificates are those of the gate, read again when their files have changed: new
// connections get the new one, old ones go on. A file that cannot be used is told in
// the log, and the certificate before it stays.
type certificates struct {
	cfg    *config.HTTP
	mu     sync.Mutex
	looked time.Time
	seen   [3]os.FileInfo
	now    *tls.Config
	ends   time.Time // of the certificate
}

func (c *certificates) files() [3]string {
	return [3]string{c.cfg.TLSCert, c.cfg.TLSKey, c.cfg.TLSCA}
}

func newCertificates(cfg *config.HTTP) (*certificates, error) {
	c := &certificates{cfg: cfg}
	return c, c.load()
}

func (c *certificates) load() error {
	pair, err := tls.LoadX509KeyPair(c.cfg.TLSCert, c.cfg.TLSKey)
	if err != nil {
		return err
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		NextProtos: []string{"h2", "http/1.1"}}
	if c.cfg.TLSCA != "" {
		text, err := os.ReadFile(c.cfg.TLSCA)
		if err != nil {
			return err
		}
		t.ClientCAs = x509.NewCertPool()
		if !t.ClientCAs.AppendCertsFromPEM(text) {
			return errors.New(c.cfg.TLSCA + ": no certificate")
		}
		t.ClientAuth = tls.VerifyClientCertIfGiven
	}
	for i, path := range c.files() {
		c.seen[i], _ = os.Stat(path)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return err
	}
	c.looked, c.now, c.ends = time.Now(), t, leaf.NotAfter
	return nil
}

func (c *certificates) changed() bool {
	for i, path := range c.files() {
		is, _ := os.Stat(path)
		was := c.seen[i]
		if (is == nil) != (was == nil) || is != nil && (!os.SameFile(is, was) ||
			is.ModTime() != was.ModTime() || is.Size() != was.Size()) {
			return true
		}
	}
	return false
}

// forClient is the configuration of a new connection.
func (c *certificates) forClient(*tls.ClientHelloInfo) (*tls.Config, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) > time.Second {
		c.looked = time.Now()
		if c.changed() {
			if err := c.load(); err != nil {
				onewake.Warnf("certificate: %v: the one before is kept", err)
			}
		}
	}
	return c.now, nil
}

// expires is when the certificate ends that new connections get.
func (c *certificates) expires() time.Time {
	_, _ = c.forClient(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ends
}
