// SPDX-License-Identifier: Apache-2.0

package onewake

import (
	"encoding/hex"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// The conversions of the library cut off, and wrap around.
func TestValuesThatAFieldCannotHoldAreNotSent(t *testing.T) {
	c := client(t)
	for name, values := range map[string][]any{
		"F_SHORT": {32768, -32769, uint16(65535), 1e300, math.NaN(), []int{1, 70000}, "70000", "abc",
			[]byte("70000"), "", "1.5", []string{"1", "x"}},
		"F_COUNT": {1e19, math.Inf(1), "1e3", "9223372036854775808"},
		"F_CHAR":  {256, -1, 1000.0, "ab", []byte("ab")},
		"F_FLOAT": {1e300, "1e300", "x"},
	} {
		for _, v := range values {
			in := map[string]any{name: v}
			refused(t, c.Call(bg, "ECHO", in, nil), fmt.Sprint(in), name+": ")
			in = map[string]any{"F_NAME": "x", "F_SUB": in}
			refused(t, c.Call(bg, "ECHO", in, nil), fmt.Sprint(in), "does not fit")
		}
	}
	err := c.Call(bg, "ECHO", viewed{Limits: []int{1, 70000}}, nil)
	refused(t, err, "a member of a view", "limits: 70000 does not fit")
	err = c.Call(bg, "ECHO", struct {
		_      struct{} `view:"GOACCOUNT"`
		Limits []string `view:"limits"`
	}{Limits: []string{"1", "70000"}}, nil)
	refused(t, err, "a text for a member of a view", "limits: \"70000\" does not fit type short")
	var m map[string]any
	in := map[string]any{"F_SHORT": []int{-32768, 32767}, "F_CHAR": 65, "F_FLOAT": math.MaxFloat32}
	check(t, c.Call(bg, "ECHO", in, &m))
	equal(t, m, map[string]any{"F_SHORT": []any{int64(-32768), int64(32767)}, "F_CHAR": "A",
		"F_FLOAT": float64(math.MaxFloat32)})
}

type order struct {
	Outer `ubf:"F_SUB"`
	Count int64 `ubf:"F_COUNT"`
}

type counted struct {
	Outer `ubf:"-"`
	Count int64 `ubf:"F_COUNT"`
}

func TestAStructInsideWithATagIsAFieldOfItsOwn(t *testing.T) {
	c := client(t)
	var m map[string]any
	in := order{Outer{"one"}, 3}
	check(t, c.Call(bg, "ECHO", in, &m))
	equal(t, m, map[string]any{"F_SUB": map[string]any{"F_NAME": "one"}, "F_COUNT": int64(3)})
	var out order
	check(t, c.Call(bg, "ECHO", in, &out))
	equal(t, out, in)
	check(t, c.Call(bg, "ECHO", counted{Outer{"one"}, 3}, &m))
	equal(t, m, map[string]any{"F_COUNT": int64(3)})
}

// key is text, as UUIDs of many packages are.
type key [2]byte

func (k key) MarshalText() ([]byte, error)  { return []byte(hex.EncodeToString(k[:])), nil }
func (k *key) UnmarshalText(b []byte) error { _, err := hex.Decode(k[:], b); return err }

type timed struct {
	At    time.Time    `ubf:"F_NAME"`
	Until *time.Time   `ubf:"F_ACCOUNT"`
	From  []netip.Addr `ubf:"F_BYTES"`
	Sizes [3]int       `ubf:"F_COUNT"`
	Key   key          `ubf:"F_SHORT"`
	IP    net.IP       `ubf:"F_NAME2"`
	IPs   []net.IP     `ubf:"F_BYTES2"`
}

func TestAStructHasTimesAndArrays(t *testing.T) {
	c := client(t)
	at := time.Date(2026, 2, 28, 23, 59, 59, 123456789, time.UTC)
	in := timed{at, &at, []netip.Addr{netip.MustParseAddr("::1")}, [3]int{3, 2, 1}, key{0x12, 0x34},
		net.ParseIP("10.0.0.1"), []net.IP{net.ParseIP("::2"), net.ParseIP("10.0.0.2")}}
	var out timed
	check(t, c.Call(bg, "ECHO", in, &out))
	equal(t, out, in)
	var m map[string]any
	check(t, c.Call(bg, "ECHO", in, &m))
	equal(t, m["F_NAME"], "2026-02-28T23:59:59.123456789Z")
	equal(t, m["F_NAME2"], "10.0.0.1")
	in.Until, in.IP = nil, nil
	check(t, c.Call(bg, "ECHO", in, &out))
	equal(t, out, in)
	refused(t, c.Call(bg, "ECHO", at, nil), "a time", "give it as a field")
	for _, wrong := range []map[string]any{
		{"F_NAME": "tomorrow"}, {"F_COUNT": []int{1, 2, 3, 4}}} {
		if err := c.Call(bg, "ECHO", wrong, &out); err == nil ||
			!strings.HasPrefix(err.Error(), "F_") {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if err := c.Call(bg, "ECHO", wide{1}, &at); err == nil {
		t.Error("UBF is no time")
	}
	v := struct {
		_      struct{}   `view:"GOACCOUNT"`
		Number netip.Addr `view:"number"`
		Limits [3]int     `view:"limits"`
		Key    net.IP     `view:"key"`
	}{Number: netip.MustParseAddr("10.0.0.1"), Limits: [3]int{1, 2, 3}, Key: net.ParseIP("10.0.0.2")}
	got := v
	got.Limits[0] = 9
	check(t, c.Call(bg, "ECHO", v, &got))
	equal(t, got, v)
}
