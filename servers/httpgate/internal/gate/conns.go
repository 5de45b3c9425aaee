// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/hook"
)

// limited is a listener with so many connections at once, and so many of one peer.
// What is beyond is closed at once: it costs an accept() and a close().
type limited struct {
	net.Listener
	most, perPeer int
	writeTime     time.Duration // of a piece of an answer
	mu            sync.Mutex
	all           int
	peers         map[netip.Addr]int
}

const usualPerPeer = 1000

// Who does not take a piece of an answer in its time is left.
const piece = 64 << 10

func limit(l net.Listener, cfg *config.HTTP) *limited {
	return &limited{Listener: l, most: cfg.Connections, perPeer: cfg.ConnectionsPerPeer,
		writeTime: cfg.BodyTime, peers: map[netip.Addr]int{}}
}

func (l *limited) mostOf(peer netip.Addr) int {
	if l.perPeer > 0 {
		return l.perPeer
	}
	if peer.IsLoopback() { // a proxy before the gate
		return l.most
	}
	return usualPerPeer
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		peer := hook.Peer(c.RemoteAddr().String())
		l.mu.Lock()
		ok := l.all < l.most && l.peers[peer] < l.mostOf(peer)
		if ok {
			l.all++
			l.peers[peer]++
		}
		l.mu.Unlock()
		if ok {
			return &counted{Conn: c, l: l, peer: peer}, nil
		}
		c.Close()
	}
}

// counted is a connection that is counted until it is closed. Whatever is written, by
// whatever protocol, has a deadline here: none of its writers can wait for ever.
type counted struct {
	net.Conn
	l    *limited
	peer netip.Addr
	once sync.Once
}

func (c *counted) Write(b []byte) (n int, err error) {
	for {
		part := b[n:min(len(b), n+piece)]
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.l.writeTime))
		some, err := c.Conn.Write(part)
		if n += some; err != nil || n == len(b) {
			return n, err
		}
	}
}

func (c *counted) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		c.l.all--
		if c.l.peers[c.peer]--; c.l.peers[c.peer] == 0 {
			delete(c.l.peers, c.peer)
		}
		c.l.mu.Unlock()
	})
	return c.Conn.Close()
}
