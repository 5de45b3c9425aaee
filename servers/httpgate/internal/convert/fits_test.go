// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"onewake.example/httpgate/internal/config"
)

// ids are fields named by their types.
var ids = map[string]int32{"S": ofShort, "L": ofLong, "C": ofChar, "F": ofFloat, "D": ofDouble, "T": ofString,
	"B": ofBytes, "U": ofBuffer, "V": 11}

func idOf(name string) (int32, error) {
	if kind, ok := ids[name]; ok {
		return kind<<typeBits + 1, nil
	}
	return 0, errors.New("no such field")
}

// memberOf: the view V has members named by their types.
func memberOf(view, name string) (int32, bool) {
	if view != "V" {
		return -1, true
	}
	kind, ok := map[string]int32{"s": ofShort, "i": ofInt, "t": ofString, "x": -1}[name]
	return kind, ok
}

func TestMembersOfViewsFitToo(t *testing.T) {
	for s, ok := range map[string]bool{
		`{"V":{"s":1,"i":-2147483648,"t":"x"}}`: true, `{"V":{"s":[1,2]}}`: true, `{"V":{}}`: true, `{"OTHER":{"z":99999}}`: true,
		`{"V":{"x":{"a":1}}}`: true, `{"V":{"z":1}}`: false, `{"V":{"s":99999}}`: false, `{"V":{"i":2147483648}}`: false,
		`{"V":{"t":"\ud800"}}`: false, `{"\u0056":{"s":[1,1.5]}}`: false, `{"V":{"i":"x"}}`: false,
	} {
		if err := wide.CheckView([]byte(s), memberOf); (err == nil) != ok {
			t.Errorf("%s: %v", s, err)
		}
		if err := wide.CheckFields([]byte(`{"V":`+s+`}`), idOf, memberOf); (err == nil) != ok {
			t.Errorf("as a field: %s: %v", s, err)
		}
		if err := wide.CheckView([]byte(s), nil); (err == nil) != (ok || !strings.Contains(s, "ud800")) {
			t.Errorf("nobody knows the view: %s: %v", s, err)
		}
	}
}

func TestValuesThatDoNotFitTheirFieldAreRefused(t *testing.T) {
	fit := []string{`{"S":32767}`, `{"S":-32768}`, `{"S":-0}`, `{"S":1.0}`, `{"S":1e3}`, `{"S":"12"}`, `{"S":true}`, `{"S":null}`,
		`{"L":9223372036854775807}`, `{"L":-9223372036854775808}`, `{"L":[1,"2",null]}`, `{"D":1e300}`, `{"D":"0.1"}`,
		`{"D":1e-400}`, `{"D":9007199254740993}`, `{"F":1e38}`, `{"F":0.1}`, `{"C":"a"}`, `{"C":""}`, `{"C":65}`, `{"T":1.5}`,
		`{"T":12345678901234567890123}`, `{"T":"\ud83d\ude00"}`, `{"T":-1.5}`, `{"T":"\\ud800"}`, `{"B":5}`, `{"U":{"S":1}}`,
		`{"U":[{"S":1},null]}`, `{"V":{"VIEW":{"a":99999}}}`, `{}`}
	misfit := []string{`{"S":32768}`, `{"S":-32769}`, `{"S":1.5}`, `{"S":1e400}`, `{"S":"12x"}`, `{"S":""}`, `{"S":"1e1"}`,
		`{"S":"\u0031x"}`, `{"L":9223372036854775808}`, `{"L":1e19}`, `{"L":[1,1.5]}`, `{"L":9007199254740993.0}`, `{"D":1e400}`,
		`{"D":"inf"}`, `{"D":"nan"}`, `{"D":"x"}`, `{"D":"1_0"}`, `{"D":"0x1"}`, `{"F":1e39}`, `{"F":"1e39"}`, `{"C":"ab"}`,
		`{"C":"\u00e4"}`, `{"C":300}`, `{"C":-1}`, `{"T":1e400}`, `{"T":0.0000001}`, `{"T":123456789012345678901.5}`,
		`{"T":"\ud800"}`, `{"T":"\udc00"}`, `{"T":"\ud800\u0041"}`, `{"T":"\ud800x"}`, `{"U":{"S":99999}}`, `{"U":[{"U":{"S":1.5}}]}`}
	for _, s := range fit {
		if err := wide.CheckFields([]byte(s), idOf, memberOf); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range misfit {
		if wide.CheckFields([]byte(s), idOf, memberOf) == nil {
			t.Errorf("%s: let in", s)
		}
		if err := wide.Check([]byte(s)); err != nil {
			t.Errorf("%s is JSON of no fields: %v", s, err)
		}
	}
}

func TestParametersFitTheirFieldsAndAQueryIsOfItsForm(t *testing.T) {
	c := converter(t, config.Route{Conv: "json2ubf", Fields: "query.n=L header.X-D=D path.id=T"})
	if err := c.Fields(idOf); err != nil {
		t.Fatal(err)
	}
	for query, ok := range map[string]bool{"": true, "n=5": true, "n=-5&n=6": true, "x=%41": true, "n=abc": false, "n=": false,
		"n=1.5": false, "n=99999999999999999999": false, "x=%zz": false, "n=1;x=2": false} {
		q := httptest.NewRequest("POST", "/", nil)
		q.URL.RawQuery = query
		if _, err := c.Request(q, "", nil); (err == nil) != ok {
			t.Errorf("%q: %v", query, err)
		}
	}
	q := httptest.NewRequest("POST", "/", nil)
	q.Header.Set("X-D", "inf")
	if _, err := c.Request(q, "", nil); err == nil {
		t.Error("a header that is no number goes to a double")
	}
	if converter(t, config.Route{Conv: "json2ubf", Fields: "identity=NONE"}).Fields(idOf) == nil {
		t.Error("a field that no table has")
	}
	if err := converter(t, config.Route{Conv: "json", Fields: "identity=NONE"}).Fields(idOf); err != nil {
		t.Error(err)
	}
}

func TestTextsOfAnotherCharsetAreRefused(t *testing.T) {
	for _, one := range []struct {
		conv, kind, body string
		ok               bool
	}{
		{"text", "text/plain; charset=iso-8859-1", "caf\xc3\xa9", false},
		{"text", "text/plain; charset=ISO-8859-1", "cafe", true},
		{"text", "text/plain; charset=\"UTF-8\"", "caf\xc3\xa9", true},
		{"text", "text/plain", "caf\xc3\xa9", true},
		{"json", "application/json; charset=latin1", `["` + "\xc3\xa9" + `"]`, false},
		{"json", "application/json", "[\"\xff\"]", false},
		{"raw", "text/plain; charset=latin1", "\xff", true},
	} {
		q := httptest.NewRequest("POST", "/", nil)
		q.Header.Set("Content-Type", one.kind)
		if _, err := converter(t, config.Route{Conv: one.conv}).Request(q, "", []byte(one.body)); (err == nil) != one.ok {
			t.Errorf("%+v: %v", one, err)
		}
	}
}
