// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

const sample = `<?xml version="1.0"?>
<endurox><servers><server name="httpgate"><srvid>1</srvid></server></servers>
<http port="1"><route path="/other" svc="OTHER"/></http>
<http name="a" port="8080" body_max="2M" header_time="1500ms" gzip="Y" cors_origins="https://a https://b">
<auth name="j" kind="jwt" issuer="x"/>
<route path="/account/{id}" method="GET" svc="BALANCE" fields="path.id=T_ACCNUM" timeout="2" auth="j"/>
<route path="/files" staticdir="/srv"/>
<outgoing svc="RATE" host="h" url="/rate"/><host name="h" base="https://h"/>
</http></endurox>`

func TestTheConfigurationInForceIsRead(t *testing.T) {
	h, err := Read(strings.NewReader(sample), "a")
	if err != nil {
		t.Fatal(err)
	}
	if h.Port != 8080 || h.BodyMax != 2<<20 || h.HeaderTime != 1500*time.Millisecond ||
		!h.Gzip || len(h.Origins) != 2 || h.IdleTime != time.Minute || h.IP != "127.0.0.1" {
		t.Errorf("%+v", h)
	}
	r := h.Routes[0]
	if len(h.Routes) != 2 || r.Service != "BALANCE" || r.Timeout != 2*time.Second ||
		r.TimeoutMax != r.Timeout || !reflect.DeepEqual(r.Auth, []string{"j"}) ||
		r.Errors != "problem" || r.Concurrency != 256 {
		t.Errorf("%+v", r)
	}
	if h.Routes[1].Conv != "static" || h.Routes[1].Method != "GET" {
		t.Errorf("%+v", h.Routes[1])
	}
	if len(h.Auths)+len(h.Outgoing)+len(h.Hosts) != 3 || h.Hosts[0].Connections != 64 {
		t.Errorf("%+v", h)
	}
	if _, err := Read(strings.NewReader(sample), "b"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// The tables of ndrxconfig.xml and the members have the same keys.
func TestKeysAreThoseOfTheSchema(t *testing.T) {
	text, err := os.ReadFile("../../../../libndrx/config/fields_http.c")
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?s)static const struct ow_field (\w+)_fields.*?\n};`)
	key := regexp.MustCompile(`(?m)^\t(?:TEXT|WORD|YES|TIME|SIZE|NUMBER)\("(\w+)"|\.name = "(\w+)"`)
	for _, m := range table.FindAllStringSubmatch(string(text), -1) {
		var v any = map[string]any{"http": HTTP{}, "route": Route{}, "auth": Auth{},
			"outgoing": Outgoing{}, "host": Host{}}[m[1]]
		want := map[string]bool{}
		for _, k := range key.FindAllStringSubmatch(m[0], -1) {
			want[k[1]+k[2]] = true
		}
		got := map[string]bool{}
		for i := 0; i < reflect.TypeOf(v).NumField(); i++ {
			if k := reflect.TypeOf(v).Field(i).Tag.Get("key"); k != "" {
				got[k] = true
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: members %v, table %v", m[1], got, want)
		}
	}
}

func TestASectionOfRestinclIsRead(t *testing.T) {
	h, err := Restin(map[string]string{
		"port": "8080", "workers": "10", "gencore": "0",
		"defaults": `{"errors":"json", "conv":"json2ubf", "errfmt_json_onsucc":false}`,
		"/pay":     `{"svc":"PAY", "errors":"text", "errors_fmt_http_map":"6:404,*:500"}`,
		"/echo":    `{"echo":true, "conv":"text"}`,
		"/re.*":    `{"svc":"X", "format":"r"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Routes) != 3 || h.IP != "0.0.0.0" {
		t.Fatalf("%+v", h)
	}
	r := h.Routes[1]
	if r.Path != "/pay" || r.Errors != "text" || r.Method != "" || !r.Theirs ||
		r.Old.ErrJSONOnSucc || r.Old.ErrText != "%d: %s" || r.Status != "6:404,*:500" {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{`{"svc":"X","conv":"xml"}`, `{"svc":"X","errors":"ext"}`, `{}`, `{`} {
		if _, err := Restin(map[string]string{"port": "1", "/x": bad}); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
}

func TestKeysOfRestinclWithoutEffectAreNamed(t *testing.T) {
	h, err := Restin(map[string]string{
		"port": "8080", "ip": "127.0.0.1", "tls_enable": "0", "workers": "10", "gencore": "0",
		"defaults": `{"errors":"json", "txnooptim":true}`,
		"/pay":     `{"svc":"PAY", "Reqlogsvc":"L", "timout":5, "async":true, "errfmt_text":"%d: %s"}`,
	})
	want := []string{"/pay Reqlogsvc", "/pay timout", "defaults txnooptim", "gencore", "workers"}
	if err != nil || !reflect.DeepEqual(h.Ignored, want) {
		t.Error(h.Ignored, err)
	}
}
