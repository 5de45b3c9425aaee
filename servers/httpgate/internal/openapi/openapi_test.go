// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/route"
)

func equal(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func tables(t *testing.T) *Tables {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.fd": "*base 1000\n# c\nT_ACCNUM 1 string - Account number\nT_AMT\t2\tdouble\t-\t-\nT_N 3 short - -\nbad line here x\n",
		"b.v":  "VIEW ACC\nstring number T_ACCNUM 1 FS 20 -\nlong list - 5 CN - -1\n- amount T_AMT 1 - - -\nEND\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ReadTables(func(name string) string {
		return map[string]string{"FLDTBLDIR": "/nowhere:" + dir, "FIELDTBLS": "none.fd,a.fd,Exfields",
			"VIEWDIR": dir, "VIEWFILES": "b.v"}[name]
	})
}

// at walks into a document.
func at(t *testing.T, doc any, path ...string) any {
	t.Helper()
	for _, p := range path {
		m, ok := doc.(map[string]any)
		if !ok || m[p] == nil {
			t.Fatalf("no %s in %v: %v", p, path, doc)
		}
		doc = m[p]
	}
	return doc
}

func document1(t *testing.T, h *config.HTTP) map[string]any {
	t.Helper()
	b, err := Document(h, tables(t), nil, "Bank")
	equal(t, err, nil)
	var doc map[string]any
	equal(t, json.Unmarshal(b, &doc), nil)
	return doc
}

func gate() *config.HTTP {
	return &config.HTTP{
		Auths: []config.Auth{{Name: "k", Kind: "apikey", Header: "X-Key"}, {Name: "j", Kind: "jwt"}},
		Routes: []config.Route{
			{Method: "POST", Path: "/balance", Service: "BALANCE", Conv: "json2ubf", Errors: "problem", Summary: "how much",
				Unknown: "refuse"},
			{Method: "GET", Path: "/acc/{id}/{rest...}", Service: "BALANCE", Conv: "json2ubf", Errors: "problem",
				Fields: "path.id=T_ACCNUM query.n=T_N header.X-A=T_AMT"},
			{Method: "PUT", Path: "/pay", Service: "PAY", Conv: "json2view", Errors: "problem", Auth: []string{"k", "j"},
				Scopes: []string{"pay"}, Idempotency: time.Hour, Status: "11:418"},
			{Method: "POST", Path: "/form", Service: "S", Conv: "multipart", Errors: "problem", Fields: "form.n=T_N file.f=T_ACCNUM query.x=T_AMT"},
			{Method: "POST", Path: "/q", Queue: "S/Q", Conv: "text", Errors: "problem"},
			{Method: "PUT", Path: "/put", Queue: "S/Q", Conv: "text", Errors: "problem", Status: "11:418 13:419"},
			{Method: "GET", Path: "/talk", Conversation: "TALK", Conv: "text", Errors: "problem"},
			{Method: "GET", Path: "/news", Events: "N.*", Errors: "problem"},
			{Path: "/old", Service: "OLD", Conv: "json", Errors: "json", Theirs: true},
			{Path: "/re.*", Service: "OLD", Theirs: true, Old: config.Old{Format: "r"}},
		}}
}

func TestRoutesAreDescribed(t *testing.T) {
	doc := document1(t, gate())
	equal(t, at(t, doc, "openapi"), "3.1.0")
	equal(t, len(at(t, doc, "paths").(map[string]any)), 9)
	o := at(t, doc, "paths", "/balance", "post")
	equal(t, at(t, o, "requestBody", "content", "application/json", "schema", "$ref"), "#/components/schemas/Fields")
	equal(t, []any{at(t, o, "summary"), at(t, o, "operationId")}, []any{"how much", "post_balance"})
	fields := at(t, doc, "components", "schemas", "Fields", "properties").(map[string]any)
	equal(t, len(fields), 3)
	equal(t, at(t, fields, "T_ACCNUM", "description"), "Account number")
	equal(t, at(t, doc, "components", "schemas", "Fields").(map[string]any)["additionalProperties"], false)
	equal(t, at(t, o, "responses", "200", "content", "application/json", "schema", "$ref"), "#/components/schemas/AnyFields")
	if _, said := at(t, doc, "components", "schemas", "AnyFields").(map[string]any)["additionalProperties"]; said {
		t.Error("a reply may have fields without a name")
	}
	p := at(t, doc, "paths", "/acc/{id}/{rest}", "get", "parameters")
	b, _ := json.Marshal(p)
	for _, want := range []string{`"in":"path","name":"id"`, `"in":"path","name":"rest"`, `"in":"query","name":"n"`,
		`"in":"header","name":"X-A"`, `"maximum":32767`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %s", b, want)
		}
	}
	pay := at(t, doc, "paths", "/pay", "put")
	equal(t, at(t, pay, "security"), []any{map[string]any{"k": []any{}}, map[string]any{"j": []any{"pay"}}})
	at(t, pay, "responses", "418")
	at(t, pay, "responses", "409")
	at(t, doc, "components", "schemas", "View_ACC", "properties", "ACC", "properties", "list", "maxItems")
	equal(t, at(t, doc, "components", "schemas", "View_ACC", "properties", "ACC", "additionalProperties"), false)
	form := at(t, doc, "paths", "/form", "post", "requestBody", "content", "multipart/form-data", "schema", "properties").(map[string]any)
	equal(t, []any{len(form), at(t, form, "n", "type"), at(t, form, "f", "contentMediaType")},
		[]any{2, "integer", "application/octet-stream"})
	equal(t, at(t, o, "requestBody").(map[string]any)["required"], false)
	equal(t, at(t, pay, "requestBody", "required"), true)
	equal(t, at(t, doc, "components", "securitySchemes", "k", "name"), "X-Key")
	at(t, doc, "paths", "/q", "post", "responses", "202")
	at(t, doc, "paths", "/news", "get", "responses", "200", "content", "text/event-stream")
	at(t, doc, "paths", "/put", "put", "responses", "202")
	at(t, doc, "paths", "/put", "put", "responses", "419")
	at(t, doc, "paths", "/put", "put", "responses", "503", "headers", "Onewake-Work")
	at(t, doc, "paths", "/talk", "get", "responses", "426")
}

func TestMembersHaveTheirTypes(t *testing.T) {
	all := tables(t)
	for name, want := range map[string]string{"ACC number": "5 true", "ACC list": "1 true", "ACC amount": "4 true",
		"ACC none": "-1 false", "NONE x": "-1 true"} {
		view, member, _ := strings.Cut(name, " ")
		kind, ok := all.Member(view, member)
		if got := fmt.Sprint(kind, ok); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestPageRunsItsOwnScriptOnly(t *testing.T) {
	w := httptest.NewRecorder()
	Docs(w, httptest.NewRequest("GET", "/docs", nil))
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("%s lacks %s", policy, want)
		}
	}
	body := w.Body.String()
	for _, not := range []string{"http://", "https://", " src=", "innerHTML", "onclick=\"", "style=\"", "unsafe"} {
		if strings.Contains(body, not) || strings.Contains(policy, "unsafe") {
			t.Errorf("the page has %s", not)
		}
	}
}

const petshop = `
openapi: 3.0.3
info: {title: Pets, version: "1"}
security: [{key: []}]
paths:
  /pets/{petId}:
    parameters:
    - {name: petId, in: path, required: true, schema: {type: integer}}
    get:
      operationId: getPet
      summary: One "pet" & more
      parameters: [{$ref: '#/components/parameters/limit'}, {name: c, in: cookie, schema: {type: string}}]
      responses: {"200": {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
    delete: {responses: {"204": {description: x}}}
  /pets:
    post:
      operationId: getPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses: {"201": {description: x}}
    put:
      requestBody: {content: {image/png: {schema: {type: string, format: binary}}}}
      responses: {"200": {description: x}}
components:
  parameters:
    limit: {name: limit, in: query, schema: {type: number}}
  schemas:
    Pet: {type: object, properties: {name: {type: string, maxLength: 30}, tags: {type: array, maxItems: 3, items: {type: string}}, photo: {type: string, format: byte}}}
    NewPet: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {"owner-name": {type: string}, home: {$ref: '#/components/schemas/Home'}}}]}
    Home: {type: object, properties: {no: {type: integer}, up: {$ref: '#/components/schemas/Home'}}}
`

func TestADescriptionBecomesRoutesFieldsAndViews(t *testing.T) {
	i, err := Import([]byte(petshop), 5000)
	equal(t, err, nil)
	equal(t, i.Routes, `<http port="8080">
	<route method="POST" path="/pets" svc="GETPET" conv="json2ubf"/>
	<route method="PUT" path="/pets" svc="PUT_PETS" conv="raw"/>
	<route method="GET" path="/pets/{petId}" svc="GETPET_2" conv="json2ubf" fields="path.petId=petId query.limit=limit" summary="One &#34;pet&#34; &amp; more"/>
	<route method="DELETE" path="/pets/{petId}" svc="DELETE_PETS_PETID" conv="json2ubf" fields="path.petId=petId"/>
</http>
`)
	equal(t, i.Fields, "# Made of a description by httpgate import\n*base 5000\nhome\t1\tubf\t-\t-\nlimit\t2\tdouble\t-\t-\n"+
		"name\t3\tstring\t-\t-\nno\t4\tlong\t-\t-\nowner_name\t5\tstring\t-\t-\npetId\t6\tlong\t-\t-\n"+
		"photo\t7\tcarray\t-\t-\ntags\t8\tstring\t-\t-\nup\t9\tubf\t-\t-\n")
	equal(t, i.Views, "VIEW Pet\nstring name name 1 - 31 -\ncarray photo photo 1 - 256 -\nstring tags tags 3 - 256 -\nEND\n\n")
	notes := strings.Join(i.Notes, "\n")
	for _, want := range []string{"cookie c", "owner-name", "credentials", "image/png", "schema Home is no view"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%s\nlacks %s", notes, want)
		}
	}
	for _, text := range []string{"swagger: '2.0'", "openapi: 3.0.0", "{", "- x"} {
		if _, err := Import([]byte(text), 1); err == nil {
			t.Error(text)
		}
	}
}

func TestWhatADocumentSaysCanBeImported(t *testing.T) {
	b, err := Document(gate(), tables(t), nil, "Bank")
	equal(t, err, nil)
	i, err := Import(b, 1)
	equal(t, err, nil)
	for _, want := range []string{"T_ACCNUM\t", "T_AMT\t"} {
		if !strings.Contains(i.Fields, want) {
			t.Errorf("%s lacks %s", i.Fields, want)
		}
	}
	equal(t, strings.Count(i.Routes, "<route "), 9)
}

func TestAnImportMakesRoutesThatAGateTakes(t *testing.T) {
	made, err := Import([]byte(`
openapi: 3.0.0
paths:
  /pets/{pet-id}/toys/{2nd}:
    get:
      parameters: [{name: pet-id, in: path, schema: {type: integer}}, {name: 2nd, in: path}, {name: "a b", in: query}]
  /pets/{id}.json: {get: {}}
  /a/{x}/b: {get: {}}
  /a/c/{y}: {get: {}}
`), 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(made.Routes, `path="/pets/{pet_id}/toys/{p_2nd}"`) ||
		!strings.Contains(made.Routes, `path.pet_id=pet_id path.p_2nd=F_2nd"`) {
		t.Error(made.Routes)
	}
	h, err := config.Read(strings.NewReader("<endurox>"+made.Routes+"</endurox>"), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = route.New(h.Routes, func(*route.Entry) (http.Handler, error) { return http.NotFoundHandler(), nil })
	if err != nil || len(h.Routes) != 2 {
		t.Error(err, made.Routes)
	}
	notes := strings.Join(made.Notes, "\n")
	for _, want := range []string{`get /pets/{id}.json is left out`, `get /a/{x}/b is left out`, `parameter "a b" is left out`} {
		if !strings.Contains(notes, want) {
			t.Errorf("%s: %s", want, notes)
		}
	}
}

// imports is the import of a description that may be made to harm, within a time.
func imports(t *testing.T, text string) *Imported {
	t.Helper()
	got := make(chan *Imported)
	go func() {
		i, err := Import([]byte(text), 1)
		if err != nil {
			t.Error(err)
		}
		got <- i
	}()
	select {
	case i := <-got:
		return i
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
		return nil
	}
}

func TestSchemasThatReferToEachOtherAreReadOnce(t *testing.T) {
	var all strings.Builder
	for n := 0; n < 30; n++ {
		fmt.Fprintf(&all, "m%d: {$ref: '#/components/schemas/S'}, ", n)
	}
	i := imports(t, `
openapi: 3.0.0
paths: {/a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}}}}
components:
  schemas:
    S: {type: object, properties: {`+all.String()+`list: {$ref: '#/components/schemas/L'}}}
    L: {type: array, items: {$ref: '#/components/schemas/L'}}
`)
	equal(t, strings.Count(i.Fields, "\tubf\t"), 30)
}

func TestWhatAnImportedFileSaysIsNoConfiguration(t *testing.T) {
	i := imports(t, `
openapi: 3.0.0
paths:
  host/path: {get: {}}
  '/a"/><auth name="x': {get: {summary: '"><x>'}}
  /b:
    get:
      operationId: "\u65e5\u672c"
      parameters: [{name: q, in: "identity=T_USER query"}, {name: 'r"<', in: query}, {name: s, in: body}]
  /c: {get: {parameters: [{name: "\e[2Jc", in: cookie}]}}
`)
	h, err := config.Read(strings.NewReader("<endurox>"+i.Routes+"</endurox>"), "")
	equal(t, err, nil)
	equal(t, len(h.Auths), 0)
	equal(t, len(h.Routes), 3)
	for _, r := range h.Routes {
		if r.Service == "" || strings.Contains(r.Fields, "identity") || strings.Contains(r.Fields, "body") {
			t.Error(r.Path, r.Service, r.Fields)
		}
	}
	if notes := strings.Join(i.Notes, "\n"); strings.Contains(notes, "\x1b") || !strings.Contains(notes, "host/path is left out") {
		t.Errorf("%q", notes)
	}
}
