// SPDX-License-Identifier: Apache-2.0

package hook

import "testing"

func TestAUserOfIPv6HasANetwork(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.1:5": "10.0.0.1", "[::ffff:10.0.0.1]:5": "10.0.0.1", "[::1]:5": "::1",
		"[2001:db8:1:2:3:4:5:6]:5": "2001:db8:1:2::", "[fe80::1%eth0]:5": "fe80::", "@": "invalid IP",
	} {
		if got := Peer(address).String(); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
