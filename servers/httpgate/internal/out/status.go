// SPDX-License-Identifier: Apache-2.0

package out

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Status is what a restoutsv says of itself, in a file that xadmin and ndrxmetrics read.
type Status struct {
	Server int     `json:"server"`
	Pid    int     `json:"pid"`
	Time   int64   `json:"time"` // seconds since 1970
	Hosts  []State `json:"hosts"`
}

// StatusPath is where a server has its status, in the folder run of the domain.
func StatusPath(run string, server int) string {
	return filepath.Join(run, fmt.Sprintf("http.out.%d.json", server))
}

// WriteStatus replaces the file as a whole: a reader sees the former one, or this.
func WriteStatus(path string, s Status) error {
	s.Pid, s.Time = os.Getpid(), time.Now().Unix()
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
