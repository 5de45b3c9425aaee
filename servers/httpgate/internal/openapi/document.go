// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/seen"
)

// Document describes a gate; by what services were seen to take and give, where
// something was. b may be NULL.
func Document(h *config.HTTP, t *Tables, b *seen.Book, title string) ([]byte, error) {
	d := &document{h: h, t: t, seen: b, schemas: object{"Problem": problem()},
		paths: map[string]object{}, auths: object{}, ids: map[string]bool{}}
	for i := range h.Routes {
		d.route(&h.Routes[i])
	}
	paths := object{}
	for path, operations := range d.paths {
		paths[path] = operations
	}
	components := object{"schemas": d.schemas}
	if len(d.auths) > 0 {
		components["securitySchemes"] = d.auths
	}
	return json.MarshalIndent(object{"openapi": "3.1.0", "info": object{"title": title, "version": "1"},
		"paths": paths, "components": components}, "", " ")
}

type document struct {
	h       *config.HTTP
	t       *Tables
	seen    *seen.Book
	schemas object
	paths   map[string]object
	auths   object
	ids     map[string]bool
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func problem() object {
	text := object{"type": "string"}
	return object{"type": "object", "description": "What went wrong (RFC 9457), and what became of the work.",
		"properties": object{"type": text, "title": text, "status": object{"type": "integer"}, "detail": text,
			"tperrno": object{"type": "integer"}, "error": text, "service": text,
			"urcode": object{"type": "integer", "format": "int64"},
			"work":   work()}}
}

// work is what became of it, as each failure says.
func work() object {
	return object{"type": "string", "enum": []string{"not done", "in part", "failed", "unknown", "done"}}
}

var parameter = regexp.MustCompile(`\{([^}]+)\}`)

// route adds the operation of a route. Regular expressions of restincl have no place in
// a description.
func (d *document) route(r *config.Route) {
	if r.Theirs && r.Old.Format != "" {
		return
	}
	path := parameter.ReplaceAllStringFunc(r.Path, func(s string) string {
		return "{" + strings.Trim(s, "{}.$") + "}"
	})
	method := strings.ToLower(r.Method)
	if method == "" {
		method = "post"
	}
	if d.paths[path] == nil {
		d.paths[path] = object{}
	}
	d.paths[path][method] = d.operation(r, path, method)
}

func (d *document) operation(r *config.Route, path, method string) object {
	o := object{"operationId": d.id(r, path, method), "responses": d.responses(r, method)}
	if r.Summary != "" {
		o["summary"] = r.Summary
	}
	if p := d.parameters(r, path); len(p) > 0 {
		o["parameters"] = p
	}
	if b := d.body(r); b != nil && method != "get" && method != "head" {
		// Nothing is an object without fields, a text and bytes, too.
		needed := r.Conv == "json" || r.Conv == "json2view" || r.Conv == "multipart"
		o["requestBody"] = object{"required": needed, "content": b}
	}
	if len(r.Auth) > 0 {
		o["security"] = d.security(r)
	}
	if r.Service != "" {
		o["tags"] = []string{r.Service}
	}
	return o
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9]+`)

func (d *document) id(r *config.Route, path, method string) string {
	id := method + strings.TrimRight(notInID.ReplaceAllString(path, "_"), "_")
	for n := 2; d.ids[id]; n++ {
		id = strings.TrimRight(id, "0123456789") + strconv.Itoa(n)
	}
	d.ids[id] = true
	return id
}

// parameters are those of the path, and what `fields` takes out of the query and the headers.
func (d *document) parameters(r *config.Route, path string) (all []object) {
	fields := map[string]string{}
	for _, word := range strings.Fields(r.Fields) {
		if from, field, ok := strings.Cut(word, "="); ok {
			fields[from] = field
		}
	}
	for _, m := range parameter.FindAllStringSubmatch(path, -1) {
		all = append(all, object{"name": m[1], "in": "path", "required": true,
			"schema": d.typeOf(fields["path."+m[1]], true)})
	}
	froms := make([]string, 0, len(fields))
	for from := range fields {
		froms = append(froms, from)
	}
	sort.Strings(froms)
	for _, from := range froms {
		where, name, _ := strings.Cut(from, ".")
		if where == "query" || where == "header" {
			all = append(all, object{"name": name, "in": where, "schema": d.typeOf(fields[from], false)})
		}
	}
	if r.Idempotency > 0 {
		all = append(all, object{"name": "Idempotency-Key", "in": "header",
			"description": fmt.Sprintf("The first answer is given again for %d seconds.", int(r.Idempotency.Seconds())),
			"schema":      object{"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}})
	}
	return all
}

func (d *document) typeOf(field string, inPath bool) object {
	s := scalar(d.t.Fields[field].Type)
	if inPath && s["type"] == "string" {
		s["minLength"] = 1
	}
	return s
}

// body is the content of a request; nil: it has none.
func (d *document) body(r *config.Route) object {
	if r.Static != "" || r.Events != "" || r.Conversation != "" || r.Transactions {
		if r.Transactions {
			return object{"application/json": object{"schema": d.named("Transaction", transaction)}}
		}
		return nil
	}
	return d.content(r, "request")
}

func (d *document) content(r *config.Route, direction string) object {
	switch r.Conv {
	case "json2ubf":
		return object{"application/json": object{"schema": d.fields(r, direction)}}
	case "json2view":
		return object{"application/json": object{"schema": d.views()}}
	case "json":
		return object{"application/json": object{"schema": object{}}}
	case "text":
		return object{"text/plain": object{"schema": object{"type": "string"}}}
	case "multipart":
		if direction == "request" {
			return object{"multipart/form-data": object{"schema": d.form(r)}}
		}
		return object{"application/json": object{"schema": d.fields(r, direction)}}
	}
	return object{"application/octet-stream": object{"schema": object{}}}
}

// form has the parts that go to fields; others are left out.
func (d *document) form(r *config.Route) object {
	parts := object{}
	for _, word := range strings.Fields(r.Fields) {
		from, field, _ := strings.Cut(word, "=")
		switch where, name, _ := strings.Cut(from, "."); where {
		case "form":
			parts[name] = d.typeOf(field, false)
		case "file":
			parts[name] = object{"type": "string", "contentMediaType": "application/octet-stream"}
		}
	}
	return object{"type": "object", "properties": parts}
}

func (d *document) named(name string, make func() object) object {
	if d.schemas[name] == nil {
		d.schemas[name] = make()
	}
	return ref(name)
}

func transaction() object {
	text := object{"type": "string"}
	return object{"type": "object", "required": []string{"operation"}, "properties": object{
		"operation": object{"type": "string", "enum": []string{"tpbegin", "tpcommit", "tpabort"}},
		"timeout":   object{"type": "integer"}, "flags": object{"type": "integer"}, "tptranid": text,
		"error_code": object{"type": "integer"}, "error_message": text}}
}

// fields is the schema of the fields that the service of a route was seen to take or
// give; where nothing was seen, of all.
func (d *document) fields(r *config.Route, direction string) object {
	to, name, only := seen.Takes, "Takes_", r.Unknown == "refuse" && r.Conv == "json2ubf"
	if direction == "reply" {
		to, name, only = seen.Gives, "Gives_", false
	}
	if d.seen == nil || r.Service == "" || len(r.FiltersIn)+len(r.FiltersOut) > 0 {
		return d.ubf(only)
	}
	shape, ok := d.seen.Shape(r.Service, to)
	if !ok || len(shape.Fields) == 0 {
		return d.ubf(only)
	}
	if !only && direction != "reply" {
		name += "any_" // another route may refuse what is no field
	}
	return d.named(name+notInID.ReplaceAllString(r.Service, "_"), func() object {
		names := make([]string, 0, len(shape.Fields))
		for field := range shape.Fields {
			if _, known := d.t.Fields[field]; known {
				names = append(names, field)
			}
		}
		o := d.t.ubf(names)
		o["description"] = fmt.Sprintf("Of %d calls; others may have further fields.", shape.Samples)
		if only {
			o["propertyNames"] = d.named("FieldName", func() object {
				return object{"type": "string", "enum": d.t.names()}
			})
		}
		return o
	})
}

// ubf is the schema of all fields that the field tables have. only: the gate refuses a name
// that is none of theirs; a reply may have fields without a name.
func (d *document) ubf(only bool) object {
	if !only {
		return d.named("AnyFields", func() object { return d.t.ubf(d.t.names()) })
	}
	return d.named("Fields", func() object {
		o := d.t.ubf(d.t.names())
		o["additionalProperties"] = false
		return o
	})
}

func (d *document) views() object {
	names := make([]string, 0, len(d.t.Views))
	for name := range d.t.Views {
		names = append(names, name)
	}
	sort.Strings(names)
	var any1 []any
	for _, name := range names {
		any1 = append(any1, d.named("View_"+name, func() object { return d.t.view(name) }))
	}
	if len(any1) == 0 {
		return object{"type": "object"}
	}
	return object{"anyOf": any1}
}

// statuses that a route can have beside success.
func (d *document) statuses(r *config.Route) []int {
	all := []int{400, 403, 404, 405, 408, 413, 415, 422, 429, 431, 500, 502, 503, 504}
	if len(r.Auth) > 0 {
		all = append(all, 401)
	}
	if r.Idempotency > 0 {
		all = append(all, 409)
	}
	if r.Streamed {
		all = append(all, http.StatusHTTPVersionNotSupported)
	}
	for _, word := range strings.FieldsFunc(r.Status, func(c rune) bool { return c == ',' || c == ' ' }) {
		if _, text, ok := strings.Cut(word, ":"); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n >= 300 {
				all = append(all, n)
			}
		}
	}
	return all
}

func (d *document) responses(r *config.Route, method string) object {
	wrong := object{"application/problem+json": object{"schema": ref("Problem")}}
	if r.Errors != "problem" {
		// As the errors mode of restincl says them: in the body of the route's own kind.
		for kind := range d.content(r, "reply") {
			wrong[kind] = object{"schema": object{}}
		}
		wrong["text/plain"] = object{"schema": object{"type": "string"}}
	}
	responses := object{}
	for _, status := range d.statuses(r) {
		responses[strconv.Itoa(status)] = object{"description": text(status), "content": wrong,
			"headers": object{"Onewake-Work": object{"description": "what became of the work", "schema": work()}}}
	}
	switch {
	case r.Events != "":
		responses["200"] = object{"description": "events, as they come",
			"content": object{"text/event-stream": object{"schema": object{"type": "string"}}}}
		responses["101"] = object{"description": "a WebSocket; its messages are events"}
	case r.Conversation != "":
		responses["426"] = object{"description": "conversations are by WebSocket", "content": wrong}
		responses["101"] = object{"description": "a WebSocket; its messages are those of a conversation"}
	case r.Queue != "" && method != "get":
		responses["202"] = object{"description": "the message is on disk",
			"content": object{"application/json": object{"schema": object{"type": "object"}}}}
	case r.Queue != "":
		responses["200"] = object{"description": "a message", "content": d.content(r, "reply")}
		responses["204"] = object{"description": "no message is there"}
	case r.Static != "":
		responses["200"] = object{"description": "the file"}
		responses["206"] = object{"description": "the part of it that Range asks for"}
		responses["301"] = object{"description": "the folder, or file, has another path"}
		responses["304"] = object{"description": "it has not changed"}
		responses["412"] = object{"description": "it has changed, or has not, as If-Match and its like ask"}
		responses["416"] = object{"description": "it has no such part"}
	case r.Async:
		responses["200"] = object{"description": "the request was sent"}
		responses["202"] = object{"description": "the request was sent"}
	case r.Transactions:
		responses["200"] = object{"description": "done", "content": object{
			"application/json": object{"schema": d.named("Transaction", transaction)}}}
	default:
		responses["200"] = object{"description": "the reply of the service", "content": d.content(r, "reply")}
		responses["204"] = object{"description": "the service has replied without data"}
	}
	return responses
}

var descriptions = map[int]string{400: "the request is not of its form", 401: "credentials are needed",
	403: "the caller may not", 404: "there is no such thing", 405: "another method", 408: "the request did not come whole",
	409: "the key runs, or is in doubt", 413: "the request is too large", 415: "another media type is needed",
	422: "the service has failed, or the key is of another request", 429: "too many requests",
	431: "the headers are too large", 500: "an error of the gate", 505: "HTTP/1.1 is needed", 502: "what became of the work is not known",
	503: "nothing was done: come later", 504: "no answer in time: what became of the work is not known"}

func text(status int) string {
	if s := descriptions[status]; s != "" {
		return s
	}
	return "the service has failed"
}

func (d *document) security(r *config.Route) (all []object) {
	for _, name := range r.Auth {
		for i := range d.h.Auths {
			if a := &d.h.Auths[i]; a.Name == name {
				d.auths[name] = scheme(a)
				scopes := []string{}
				if a.Kind == "jwt" {
					scopes = append(scopes, r.Scopes...)
				}
				all = append(all, object{name: scopes})
			}
		}
	}
	return all
}

func scheme(a *config.Auth) object {
	switch a.Kind {
	case "apikey":
		return object{"type": "apiKey", "in": "header", "name": a.Header}
	case "jwt":
		return object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
	case "mtls":
		return object{"type": "mutualTLS"}
	}
	return object{"type": "http", "scheme": "basic"}
}
