// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Size is a number of bytes.
type Size int64

var units = map[string]time.Duration{
	"": time.Second, "s": time.Second, "sec": time.Second, "ms": time.Millisecond,
	"m": time.Minute, "min": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
}

func splitUnit(text string) (float64, string, error) {
	n := strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && r != '.'
	})
	if n < 0 {
		n = len(text)
	}
	x, err := strconv.ParseFloat(text[:n], 64)
	return x, strings.ToLower(strings.TrimSpace(text[n:])), err
}

// Usual is the time of a call that has none of its own: NDRX_TOUT.
func Usual() time.Duration {
	if d, err := duration(os.Getenv("NDRX_TOUT")); err == nil && d > 0 {
		return d
	}
	return time.Minute
}

// duration reads a time as ndrxconfig.xml has it: 2, 1.5s, 100ms, 2 min.
func duration(text string) (time.Duration, error) {
	x, word, err := splitUnit(text)
	unit, ok := units[word]
	if err != nil || !ok {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return time.Duration(x * float64(unit)), nil
}

func size(text string) (Size, error) {
	x, word, err := splitUnit(text)
	i := strings.Index("kmgt", word)
	if err != nil || i < 0 || len(word) > 1 {
		return 0, fmt.Errorf("%q is no size", text)
	}
	if word != "" {
		x *= float64(int64(1) << (10 * (i + 1)))
	}
	return Size(x), nil
}

func truth(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "y", "yes", "1", "true", "t":
		return true, nil
	case "n", "no", "0", "false", "f":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither Y nor N", text)
}

// words are separated by commas or blanks.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t' || r == '\n'
	})
}

func set(v reflect.Value, text string) error {
	switch p := v.Addr().Interface().(type) {
	case *time.Duration:
		d, err := duration(text)
		*p = d
		return err
	case *Size:
		n, err := size(text)
		*p = n
		return err
	case *bool:
		b, err := truth(text)
		*p = b
		return err
	case *int:
		n, err := strconv.Atoi(text)
		*p = n
		return err
	case *string:
		*p = text
		return nil
	case *[]string:
		*p = words(text)
		return nil
	}
	panic("config: " + v.Type().String())
}

// fill puts values into the members of *to that have their keys. `strict`: each key
// has a member.
func fill(to any, values map[string]string, strict bool) error {
	v := reflect.ValueOf(to).Elem()
	known := map[string]bool{}
	for i := 0; i < v.NumField(); i++ {
		key, ok := v.Type().Field(i).Tag.Lookup("key")
		text, given := values[key]
		if !ok || !given {
			continue
		}
		known[key] = true
		if err := set(v.Field(i), text); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for key := range values {
		if strict && !known[key] {
			return fmt.Errorf("%s: not known", key)
		}
	}
	return nil
}

// defaults sets what has one.
func defaults(to any) {
	v := reflect.ValueOf(to).Elem()
	for i := 0; i < v.NumField(); i++ {
		text, ok := v.Type().Field(i).Tag.Lookup("default")
		if ok {
			if err := set(v.Field(i), text); err != nil {
				panic(err)
			}
		}
	}
}
