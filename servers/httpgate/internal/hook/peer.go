// SPDX-License-Identifier: Apache-2.0

package hook

import "net/netip"

// Peer is whom an address and port of a connection counts for: an address of IPv4, a
// network of IPv6 (/64), since a user has one. This machine's own is an address.
func Peer(address string) netip.Addr {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Addr{}
	}
	peer := a.Addr().Unmap().WithZone("")
	if !peer.Is6() || peer.IsLoopback() {
		return peer
	}
	p, _ := peer.Prefix(64)
	return p.Addr()
}
