// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// Imported is what a description becomes.
type Imported struct {
	Routes string   // <http>, for ndrxconfig.xml
	Fields string   // a field table
	Views  string   // a view file, of the schemas that are flat
	Notes  []string // what has no counterpart
}

// importer collects it.
type importer struct {
	doc      map[string]any
	fields   map[string]string // name, type
	services map[string]bool
	known    *http.ServeMux   // the routes so far: the gate tells them apart as this does
	had      map[uintptr]bool // schemas whose members are fields: they refer to each other, also in circles
	out      Imported
}

var methods = []string{"get", "head", "post", "put", "patch", "delete"}

// Import reads a description in YAML or JSON. `base` is the number at which the field
// table begins.
func Import(text []byte, base int) (*Imported, error) {
	i := &importer{fields: map[string]string{}, services: map[string]bool{}, known: http.NewServeMux(),
		had: map[uintptr]bool{}}
	if err := yaml.Unmarshal(text, &i.doc); err != nil {
		return nil, err
	}
	version, _ := i.doc["openapi"].(string)
	if !strings.HasPrefix(version, "3.") {
		return nil, fmt.Errorf("openapi: version %q: only 3 is read", version)
	}
	paths := members(i.doc["paths"])
	if len(paths) == 0 {
		return nil, errors.New("it has no paths")
	}
	var routes strings.Builder
	for _, path := range keys(paths) {
		item := i.resolve(paths[path])
		for _, method := range methods {
			if o, ok := item[method]; ok {
				i.route(&routes, path, method, members(o), item)
			}
		}
	}
	i.out.Routes = "<http port=\"8080\">\n" + routes.String() + "</http>\n"
	i.out.Fields = i.table(base)
	i.views()
	return &i.out, nil
}

func members(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func keys(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}

// note says something on a terminal, for which the description may have bytes of its own.
func (i *importer) note(format string, args ...any) {
	i.out.Notes = append(i.out.Notes, strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, fmt.Sprintf(format, args...)))
}

// resolve follows $ref within the document.
func (i *importer) resolve(v any) map[string]any {
	m := members(v)
	for n := 0; n < 20; n++ {
		to, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		rest, local := strings.CutPrefix(to, "#/")
		if !local {
			i.note("%s: only references within the file are followed", to)
			return nil
		}
		at := any(i.doc)
		for _, part := range strings.Split(rest, "/") {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
			at = members(at)[part]
		}
		m = members(at)
	}
	return m
}

var notName = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// service is the name that an operation gets: of 30 characters at most.
func (i *importer) service(path, method string, o map[string]any) string {
	name, _ := o["operationId"].(string)
	if name == "" {
		name = method + path
	}
	name = strings.ToUpper(strings.Trim(notName.ReplaceAllString(name, "_"), "_"))
	if name == "" { // of other letters
		name = strings.ToUpper(strings.Trim(notName.ReplaceAllString(method+path, "_"), "_"))
	}
	if len(name) > 30 {
		name = name[:30]
	}
	for n := 2; i.services[name]; n++ {
		suffix := fmt.Sprint("_", n)
		name = name[:min(len(name), 30-len(suffix))] + suffix
	}
	i.services[name] = true
	return name
}

// fieldName is the name of a member as a field; JSON that is converted has the same
// name, so one that cannot be a field's is noted.
func (i *importer) fieldName(name string) string {
	clean := strings.Trim(notName.ReplaceAllString(name, "_"), "_")
	if clean == "" || clean[0] >= '0' && clean[0] <= '9' {
		clean = "F_" + clean
	}
	return clean
}

// typeName is the type of a schema; of several the last one that is not "null".
func typeName(schema map[string]any) string {
	t, _ := schema["type"].(string)
	if list, ok := schema["type"].([]any); ok { // 3.1: [string, "null"]
		for _, e := range list {
			if s, _ := e.(string); s != "null" {
				t = s
			}
		}
	}
	return t
}

var fieldKinds = map[string]string{"integer": "long", "number": "double", "boolean": "short", "object": "ubf"}

func (i *importer) kind(schema map[string]any) string {
	t := typeName(schema)
	for n := 0; t == "array" && n < 20; n++ { // a list of lists, which may be lists of themselves
		schema = i.resolve(schema["items"])
		t = typeName(schema)
	}
	if t == "" && schema["properties"] != nil {
		t = "object"
	}
	if f, _ := schema["format"].(string); f == "byte" || f == "binary" || schema["contentEncoding"] == "base64" {
		return "carray"
	}
	if k := fieldKinds[t]; k != "" {
		return k
	}
	return "string"
}

func (i *importer) field(name string, schema map[string]any) string {
	clean, kind := i.fieldName(name), i.kind(schema)
	if had, ok := i.fields[clean]; ok && had != kind {
		i.note("field %s is %s in one place and %s in another: string", clean, had, kind)
		kind = "string"
	}
	i.fields[clean] = kind
	return clean
}

// collect makes fields of all members of a schema.
func (i *importer) collect(v any) {
	s := i.resolve(v)
	at := reflect.ValueOf(s).Pointer()
	if s == nil || i.had[at] {
		return
	}
	i.had[at] = true
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[word].([]any)
		for _, e := range list {
			i.collect(e)
		}
	}
	if s["items"] != nil {
		i.collect(s["items"])
	}
	properties := members(s["properties"])
	for _, name := range keys(properties) {
		p := i.resolve(properties[name])
		if clean := i.field(name, p); clean != name {
			i.note("member %s cannot be a field's name: JSON must have %s", name, clean)
		}
		i.collect(p)
	}
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// paramName is the name of a parameter of a path as a route has it.
func paramName(name string) string {
	clean := strings.Trim(notName.ReplaceAllString(name, "_"), "_")
	if clean == "" || clean[0] >= '0' && clean[0] <= '9' {
		clean = "p_" + clean
	}
	return clean
}

// isRoute: the gate can have it, beside those before it.
func (i *importer) isRoute(method, path string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			text, _, _ := strings.Cut(strings.ReplaceAll(fmt.Sprint(p), "\n", " "), " (registered at")
			err = errors.New(text)
		}
	}()
	if !strings.HasPrefix(path, "/") {
		return errors.New("a path begins with /")
	}
	i.known.Handle(strings.ToUpper(method)+" "+path, http.NotFoundHandler())
	return nil
}

func (i *importer) route(b *strings.Builder, given, method string, o, item map[string]any) {
	path := placeholder.ReplaceAllStringFunc(given, func(s string) string { return "{" + paramName(s[1:len(s)-1]) + "}" })
	if err := i.isRoute(method, path); err != nil {
		i.note("%s %s is left out: %v", method, given, err)
		return
	}
	svc := i.service(path, method, o)
	var fields []string
	parameters := append(list(item["parameters"]), list(o["parameters"])...)
	for _, p := range parameters {
		m := i.resolve(p)
		name, _ := m["name"].(string)
		in, _ := m["in"].(string)
		if in == "cookie" {
			i.note("%s %s: cookie %s is left out", method, path, name)
			continue
		}
		if strings.ContainsAny(name, " \t\r\n=") {
			i.note("%s %s: parameter %q is left out: a route has no such name", method, path, name)
			continue
		}
		from := name
		if in == "path" {
			from = paramName(name)
		}
		if in != "path" && in != "query" && in != "header" {
			i.note("%s %s: parameter %q of %q is left out", method, path, name, in)
			continue
		}
		if name != "" {
			fields = append(fields, in+"."+from+"="+i.field(name, i.resolve(m["schema"])))
		}
	}
	conv := i.body(svc, o)
	for _, status := range keys(members(o["responses"])) {
		for _, c := range members(i.resolve(members(o["responses"])[status])["content"]) {
			i.collect(members(c)["schema"])
		}
	}
	fmt.Fprintf(b, "\t<route method=%q path=%s svc=%q conv=%q", strings.ToUpper(method), quote(path), svc, conv)
	if len(fields) > 0 {
		fmt.Fprintf(b, " fields=%s", quote(strings.Join(fields, " ")))
	}
	if s, _ := o["summary"].(string); s != "" {
		fmt.Fprintf(b, " summary=%s", quote(cut(s, 200)))
	}
	b.WriteString("/>\n")
	if o["security"] != nil || i.doc["security"] != nil {
		i.note("%s %s wants credentials: give it auth", method, path)
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func cut(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	return string(r[:min(len(r), n)])
}

func quote(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return `"` + b.String() + `"`
}

// body says how the body is converted, and takes its fields.
func (i *importer) body(svc string, o map[string]any) string {
	content := members(i.resolve(o["requestBody"])["content"])
	for _, kind := range keys(content) {
		switch {
		case strings.HasSuffix(kind, "json"):
			i.collect(members(content[kind])["schema"])
			return "json2ubf"
		case kind == "multipart/form-data":
			i.collect(members(content[kind])["schema"])
			return "multipart"
		case strings.HasPrefix(kind, "text/"):
			return "text"
		}
	}
	if len(content) > 0 {
		i.note("%s: %s goes as it is", svc, strings.Join(keys(content), ", "))
		return "raw"
	}
	return "json2ubf"
}

func (i *importer) table(base int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Made of a description by httpgate import\n*base %d\n", base)
	names := make([]string, 0, len(i.fields))
	for name := range i.fields {
		names = append(names, name)
	}
	sort.Strings(names)
	for n, name := range names {
		fmt.Fprintf(&b, "%s\t%d\t%s\t-\t-\n", name, n+1, i.fields[name])
	}
	return b.String()
}

var viewKinds = map[string]string{"long": "long", "double": "double", "short": "short", "string": "string",
	"carray": "carray"}

// views makes views of the schemas whose members are all plain values or lists of them.
func (i *importer) views() {
	var b strings.Builder
	schemas := members(members(i.doc["components"])["schemas"])
	for _, name := range keys(schemas) {
		s := i.resolve(schemas[name])
		properties := members(s["properties"])
		lines, flat := "", len(properties) > 0
		for _, member := range keys(properties) {
			p := i.resolve(properties[member])
			kind, ok := viewKinds[i.kind(p)]
			flat = flat && ok
			lines += viewLine(kind, i.fieldName(member), p)
		}
		view := i.fieldName(name)
		if flat && len(view) <= 32 {
			fmt.Fprintf(&b, "VIEW %s\n%sEND\n\n", view, lines)
		} else if len(properties) > 0 {
			i.note("schema %s is no view: it has members that are objects", name)
		}
	}
	i.out.Views = b.String()
}

func viewLine(kind, name string, p map[string]any) string {
	count, size := 1, "-"
	if p["type"] == "array" {
		count = number(p["maxItems"], 10)
		p = members(p["items"])
	}
	if kind == "string" || kind == "carray" {
		size = fmt.Sprint(number(p["maxLength"], 255) + 1)
	}
	return fmt.Sprintf("%s %s %s %d - %s -\n", kind, name, name, count, size)
}

func number(v any, otherwise int) int {
	if n, ok := v.(int); ok && n > 0 && n < 65535 {
		return n
	}
	return otherwise
}
