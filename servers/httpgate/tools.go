// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"onewake.example/httpgate/internal/auth"
	"onewake.example/httpgate/internal/openapi"
)

// tools are what the program does besides, for operators and xadmin: its first word.
var tools = map[string]func() (int, error){"key": makeKey, "import": importDescription}

func word(n int) string {
	if n < len(os.Args) {
		return os.Args[n]
	}
	return ""
}

// makeKey makes a key of <auth kind="apikey">: the key on standard output, its line of
// the file on standard error.
func makeKey() (int, error) {
	key, line, err := auth.NewKey(word(2))
	if err != nil {
		return 2, err
	}
	fmt.Println(key)
	fmt.Fprintln(os.Stderr, "line of the file:", line)
	return 0, nil
}

// importDescription writes NAME.http.xml, NAME.fd and NAME.v of NAME.yaml to the current
// folder; what is there already stays.
func importDescription() (int, error) {
	file, base := word(2), 10001
	if file == "" {
		return 2, errors.New("httpgate import FILE [NUMBER]: a description, and where its field table begins")
	}
	if word(3) != "" {
		n, err := strconv.Atoi(word(3))
		if err != nil || n < 1 {
			return 2, fmt.Errorf("%q is no number of a field", word(3))
		}
		base = n
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 1, err
	}
	made, err := openapi.Import(text, base)
	if err != nil {
		return 1, fmt.Errorf("%s: %w", file, err)
	}
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	for _, f := range []struct{ suffix, text string }{
		{".http.xml", made.Routes}, {".fd", made.Fields}, {".v", made.Views}} {
		if f.text == "" {
			continue
		}
		if err := write(name+f.suffix, f.text); err != nil {
			return 1, err
		}
	}
	for _, n := range made.Notes {
		fmt.Println("note:", n)
	}
	return 0, nil
}

func write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	fmt.Println("wrote", path)
	return f.Close()
}
