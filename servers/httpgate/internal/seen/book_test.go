// SPDX-License-Identifier: Apache-2.0

package seen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func types(field string) (string, bool) {
	return "string", strings.HasPrefix(field, "T_")
}

func TestNamesTypesAndOccurrencesAreNotedAndNoValues(t *testing.T) {
	b := New(types)
	now := time.Now()
	if !b.Due("A", now) || b.Due("A", now.Add(pause/2)) || !b.Due("A", now.Add(pause)) || !b.Due("B", now) {
		t.Error("a sample is due each 100 ms")
	}
	b.Note("A", Takes, "UBF", []byte(`{"T_X":["secret","b"],"T_Y":"secret","secret":1}`))
	b.Note("A", Takes, "UBF", []byte(`{"T_X":"secret"}`))
	b.Note("A", Gives, "VIEW", []byte(`{"V":{"m":[1,2,3]}}`))
	b.Note("B", Takes, "JSON", []byte(`{"secret":"secret"}`))
	path := filepath.Join(t.TempDir(), "schema.1")
	if err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	want := "schema\t1\nbuffer\tA\ttakes\tUBF\t2\nfield\tT_X\tstring\t2\t1\t2\nfield\tT_Y\tstring\t1\t1\t1\n" +
		"buffer\tA\tgives\tVIEW\t1\nfield\tV.m\t-\t1\t3\t3\nbuffer\tB\ttakes\tJSON\t1\n"
	if string(text) != want {
		t.Errorf("%q, want %q", text, want)
	}
	c := New(types)
	c.Load(path)
	c.Due("A", now)
	c.Note("A", Takes, "STRING", nil)
	if s, ok := c.Shape("A", Takes); !ok || s.Kind != "mixed" || s.Samples != 3 || s.Fields["T_X"].Most != 2 {
		t.Error(s)
	}
	if _, ok := c.Shape("C", Takes); ok {
		t.Error("C")
	}
}

func TestABookIsBounded(t *testing.T) {
	b, now := New(types), time.Now()
	for i := 0; i < 3*mostServices; i++ {
		b.Due(fmt.Sprint("S", i), now)
		b.Note("S0", Takes, "UBF", []byte(fmt.Sprintf(`{"T_%d":1,"T_%d_":1}`, i, i)))
	}
	if s, _ := b.Shape("S0", Takes); len(b.all) != mostServices || len(s.Fields) != mostFields {
		t.Error(len(b.all), len(s.Fields))
	}
}
