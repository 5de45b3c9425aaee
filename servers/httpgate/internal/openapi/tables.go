// SPDX-License-Identifier: Apache-2.0

// Package openapi describes what a gate serves, by routes, field tables and views, and
// makes routes of such a description (OpenAPI 3.1).
package openapi

import (
	"bufio"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Field of a field table.
type Field struct {
	Name, Type, Comment string
}

// Member of a view.
type Member struct {
	Name, Type string
	Count      int
	Size       int // of a string or carray
}

// Tables are the field tables and views of a program.
type Tables struct {
	Fields map[string]Field
	Views  map[string][]Member
}

// Of the runtime itself: not what an application is about.
var notTheirs = map[string]bool{"Exfields": true, "Excompat": true, "Usysflds": true, "tpadm": true,
	"evt_mib": true, "Usysfl32": true}

// ReadTables reads what the variables FLDTBLDIR, FIELDTBLS, VIEWDIR and VIEWFILES name.
// A file that cannot be read is left out: the description then lacks it.
func ReadTables(variable func(string) string) *Tables {
	t := &Tables{Fields: map[string]Field{}, Views: map[string][]Member{}}
	for _, suffix := range []string{"", "32"} {
		each(variable("FLDTBLDIR"+suffix), variable("FIELDTBLS"+suffix), t.readFields)
		each(variable("VIEWDIR"+suffix), variable("VIEWFILES"+suffix), t.readViews)
	}
	return t
}

func each(folders, names string, read func(in *bufio.Scanner)) {
	for _, name := range strings.FieldsFunc(names, func(c rune) bool { return c == ',' }) {
		if name = strings.TrimSpace(name); notTheirs[filepath.Base(name)] {
			continue
		}
		for _, folder := range filepath.SplitList(folders) {
			f, err := os.Open(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			read(bufio.NewScanner(f))
			f.Close()
			break
		}
	}
}

var fieldTypes = map[string]bool{"short": true, "long": true, "int": true, "char": true, "float": true,
	"double": true, "string": true, "carray": true, "ubf": true, "view": true, "ptr": true, "fml32": true,
	"view32": true, "mbstring": true}

// readFields reads lines NAME NUMBER TYPE FLAG COMMENT.
func (t *Tables) readFields(in *bufio.Scanner) {
	for in.Scan() {
		w := strings.Fields(in.Text())
		if len(w) < 3 || strings.ContainsAny(w[0][:1], "#*$") {
			continue
		}
		if _, err := strconv.Atoi(w[1]); err != nil || !fieldTypes[w[2]] {
			continue
		}
		f := Field{Name: w[0], Type: w[2]}
		if len(w) > 4 {
			f.Comment = strings.TrimPrefix(strings.Join(w[4:], " "), "-")
		}
		t.Fields[f.Name] = f
	}
}

// readViews reads VIEW NAME, lines TYPE MEMBER FIELD COUNT FLAGS SIZE NULL, END.
func (t *Tables) readViews(in *bufio.Scanner) {
	view := ""
	for in.Scan() {
		w := strings.Fields(in.Text())
		if len(w) == 0 || strings.ContainsAny(w[0][:1], "#$") {
			continue
		}
		switch {
		case w[0] == "VIEW" && len(w) > 1:
			view = w[1]
			t.Views[view] = []Member{}
		case w[0] == "END":
			view = ""
		case view != "" && len(w) >= 4:
			m := Member{Name: w[1], Type: w[0], Count: 1}
			m.Count, _ = strconv.Atoi(w[3])
			if len(w) > 5 {
				size, _, _ := strings.Cut(w[5], ",")
				m.Size, _ = strconv.Atoi(size)
			}
			if m.Type == "-" {
				m.Type = t.Fields[w[2]].Type
			}
			t.Views[view] = append(t.Views[view], m)
		}
	}
}

// Numbers of types, as ubf.h has them.
var kinds = map[string]int32{"short": 0, "long": 1, "char": 2, "float": 3, "double": 4, "string": 5, "carray": 6, "int": 7}

// Member is the type of a member of a view; -1: the view, or the type, is not known here.
func (t *Tables) Member(view, name string) (kind int32, ok bool) {
	all, known := t.Views[view]
	for i := range all {
		if all[i].Name != name {
			continue
		}
		if kind, ok = kinds[all[i].Type]; ok {
			return kind, true
		}
		return -1, true
	}
	return -1, !known
}

type object = map[string]any

// scalar is the schema of one value.
func scalar(kind string) object {
	switch kind {
	case "short":
		return object{"type": "integer", "minimum": -32768, "maximum": 32767}
	case "int":
		return object{"type": "integer", "format": "int32", "minimum": -2147483648, "maximum": 2147483647}
	case "long":
		return object{"type": "integer", "format": "int64"}
	case "float", "double":
		return object{"type": "number", "format": kind}
	case "char": // a byte
		return object{"type": "string", "maxLength": 1, "pattern": `^[\u0001-\u007f]*$`}
	case "carray":
		return object{"type": "string", "contentEncoding": "base64",
			"pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"}
	case "ubf", "fml32", "view", "view32":
		return object{"type": "object"}
	}
	return object{"type": "string"}
}

// property is the schema of a field: one occurrence, or several as a list.
func property(f Field) object {
	p := scalar(f.Type)
	if f.Type == "string" {
		p["pattern"] = `^[^\u0000]*$`
	}
	s := object{"anyOf": []any{p, object{"type": "array", "items": p}}}
	if f.Comment != "" {
		s["description"] = f.Comment
	}
	return s
}

// names are those of all fields, in order.
func (t *Tables) names() []string {
	names := make([]string, 0, len(t.Fields))
	for name := range t.Fields {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func (t *Tables) ubf(names []string) object {
	properties := object{}
	for _, name := range names {
		if f, ok := t.Fields[name]; ok && f.Type != "ptr" {
			properties[name] = property(f)
		}
	}
	return object{"type": "object", "properties": properties}
}

func (t *Tables) view(name string) object {
	properties := object{}
	for _, m := range t.Views[name] {
		p := scalar(m.Type)
		if m.Type == "string" && m.Size > 1 {
			p["maxLength"] = m.Size - 1
		}
		if m.Count > 1 {
			p = object{"type": "array", "items": p, "maxItems": m.Count}
		}
		properties[m.Name] = p
	}
	return object{"type": "object", "required": []string{name}, "additionalProperties": false,
		"properties": object{name: object{"type": "object", "properties": properties, "additionalProperties": false}}}
}
