// SPDX-License-Identifier: Apache-2.0

package seen

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

var directions = [...]string{Takes: "takes", Gives: "gives"}

// The first line of the file, with its version.
const head = "schema\t1"

// Write writes the book as a whole, if something was added (libndrx/observe/schema.h).
func (b *Book) Write(path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.written == b.version {
		return nil
	}
	var t strings.Builder
	fmt.Fprintln(&t, head)
	for _, name := range sorted(b.all) {
		for d := range directions {
			b.all[name].Shapes[d].write(&t, name, directions[d])
		}
	}
	next := path + ".new"
	if err := os.WriteFile(next, []byte(t.String()), 0o600); err != nil {
		return err
	}
	b.written = b.version
	return os.Rename(next, path)
}

func sorted[T any](m map[string]T) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (s *Shape) write(t *strings.Builder, service, direction string) {
	if s.Samples == 0 {
		return
	}
	fmt.Fprintf(t, "buffer\t%s\t%s\t%s\t%d\n", service, direction, s.Kind, s.Samples)
	for _, name := range sorted(s.Fields) {
		f := s.Fields[name]
		fmt.Fprintf(t, "field\t%s\t%s\t%d\t%d\t%d\n", name, f.Type, f.Seen, f.Least, f.Most)
	}
}

// Load goes on with what an earlier process has written. What cannot be read is left out.
func (b *Book) Load(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	if !in.Scan() || in.Text() != head {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var now *Shape
	for in.Scan() {
		c := strings.Split(in.Text(), "\t")
		switch {
		case c[0] == "buffer" && len(c) == 5:
			now = b.begin(c)
		case c[0] == "field" && len(c) == 6 && now != nil:
			now.Fields[c[1]] = &Field{Type: c[2], Seen: number(c[3]), Least: number(c[4]), Most: number(c[5])}
		}
	}
}

func (b *Book) begin(c []string) *Shape {
	d := Takes
	if c[2] == directions[Gives] {
		d = Gives
	}
	if b.all[c[1]] == nil {
		b.all[c[1]] = &Service{}
	}
	s := &b.all[c[1]].Shapes[d]
	*s = Shape{Kind: c[3], Samples: number(c[4]), Fields: map[string]*Field{}}
	return s
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
