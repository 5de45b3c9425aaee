// SPDX-License-Identifier: Apache-2.0

package out

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// StatusPath is where a server says how its hosts are, in the folder run of the domain:
// xadmin hosts lists it.
func StatusPath(run string, server int) string {
	return filepath.Join(run, fmt.Sprintf("hosts.%d", server))
}

// WriteStatus replaces the file as a whole: a line with the process, then a line for each
// host, parted by tabs.
func WriteStatus(path string, hosts []State) error {
	var b strings.Builder
	fmt.Fprintln(&b, os.Getpid())
	for _, h := range hosts {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%d\t%d\t%d\n", h.Host, h.Breaker, h.Calls, h.Failed, h.Retried, h.Refused)
	}
	next := path + ".new"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
