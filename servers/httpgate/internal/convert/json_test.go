// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"strings"
	"testing"
)

var wide = Limits{Depth: 1000, Keys: 1 << 20, Digits: 1 << 20}

var samples = []string{
	`{}`, `[]`, `null`, `true`, `false`, `0`, `-0`, `01`, `1.`, `.5`, `1e5`, `1e`, `-`, `1E+7`, ``, ` `,
	`{"S":1.5,"T":"\ud83d\ude00","V":{"V":{"s":["1"]}}}`, `{"U":{"D":1e9,"T":"\ud800"}}`, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":[1,2,{"b":null}]}`, `[1,2`, `"x`, `"\u12"`, `"\u00e9"`,
	`"\q"`, "\"\n\"", `[1] 2`, `{"a":1}{"b":2}`, "\t[ 1 , 2 ]\r\n", `nul`, `[,]`, `{"a":}`, "\"\x7f\"", `"\`,
}

func TestCheckAgreesWithTheLibrary(t *testing.T) {
	for _, s := range samples {
		if ok := wide.Check([]byte(s)) == nil; ok != json.Valid([]byte(s)) {
			t.Errorf("%q: %v", s, ok)
		}
	}
}

func TestBombsAreRefused(t *testing.T) {
	l := Limits{Depth: 32, Keys: 1000, Digits: 64}
	for what, s := range map[string]string{
		"depth":  strings.Repeat("[", 33) + strings.Repeat("]", 33),
		"open":   strings.Repeat(`{"a":`, 1<<16),
		"keys":   "[" + strings.Repeat("1,", 1000) + "1]",
		"digits": strings.Repeat("9", 65),
	} {
		if l.Check([]byte(s)) == nil {
			t.Errorf("%s: let in", what)
		}
	}
	good := strings.Repeat("[", 32) + strings.Repeat("]", 32)
	if err := l.Check([]byte(good)); err != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(10, func() { _ = l.Check([]byte(good)) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range samples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if wide.CheckFields(b, idOf, memberOf) == nil && !json.Valid(b) {
			t.Errorf("%q: let in as fields", b)
		}
		if ok := wide.Check(b) == nil; ok && !json.Valid(b) {
			t.Errorf("%q: let in", b)
		} else if !ok && json.Valid(b) && len(b) < 1000 {
			t.Errorf("%q: refused", b)
		}
	})
}
