// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Types of fields, as ubf.h numbers them; the id of a field is its type << 25 and a number.
const (
	ofShort, ofLong, ofChar, ofFloat, ofDouble, ofString, ofBytes = 0, 1, 2, 3, 4, 5, 6
	ofInt, ofBuffer, ofView                                       = 7, 10, 11
	typeBits                                                      = 25
)

// want is what a value of JSON is for: the library makes of it what a field takes, as C
// converts, so 99999 becomes -31073 in a short, and "12x" 12. A caller is told instead.
type want uint8

const (
	whatever want = iota // no field
	object               // an object whose names are fields
	views                // an object whose name is a view
	members              // an object whose names are members of that view
	ofType               // ofType + type: the value of a field or member
)

// NoField is for names that are let in, whatever their values are: the id of a pointer.
const NoField = 9 << typeBits

// Member gives the type of a member of a view, -1: it is not known; false: there is no such member.
type Member func(view, member string) (kind int32, ok bool)

func wantOf(id int32) want { return ofType + want(id>>typeBits) }

// inside is what the names of an object are that is for w.
func (w want) inside() want {
	switch w {
	case object, ofType + ofBuffer:
		return object
	case views, ofType + ofView:
		return views
	case members:
		return members
	}
	return whatever
}

var (
	errWhole  = errors.New("a whole number in the range of the field")
	errReal   = errors.New("a number in the range of the field")
	errOne    = errors.New("a text of one byte at most, or a number up to 255")
	errQuoted = errors.New("a text: in quotes it is kept as it is")
)

// number: does the number of JSON go into the field as it is? nil: it does.
func (w want) number(text string) error {
	switch w {
	case ofType + ofShort:
		return whole(text, 16)
	case ofType + ofInt:
		return whole(text, 32)
	case ofType + ofLong:
		return whole(text, 64)
	case ofType + ofFloat:
		return real(text, 32)
	case ofType + ofDouble:
		return real(text, 64)
	case ofType + ofChar:
		if n, err := strconv.ParseUint(text, 10, 8); err != nil || n > math.MaxUint8 {
			return errOne
		}
	case ofType + ofString, ofType + ofBytes:
		return asText(text)
	}
	return nil
}

func (w want) isNumber() bool {
	switch w {
	case ofType + ofShort, ofType + ofInt, ofType + ofLong, ofType + ofFloat, ofType + ofDouble:
		return true
	}
	return false
}

// text is the same of a text. quoted: with its quotes.
func (w want) text(quoted []byte) error {
	if !w.isNumber() && w != ofType+ofChar {
		return nil
	}
	text := string(quoted[1 : len(quoted)-1])
	if strings.IndexByte(text, '\\') >= 0 {
		if err := json.Unmarshal(quoted, &text); err != nil {
			return err
		}
	}
	return w.string(text)
}

// string is the same of a text without quotes, as a parameter is.
func (w want) string(text string) error {
	if w == ofType+ofChar {
		if len(text) > 1 {
			return errOne
		}
		return nil
	}
	if !w.isNumber() {
		return nil
	}
	if strings.Trim(text, "0123456789+-.eE") != "" { // inf, 0x1p2, 1_000
		return errReal
	}
	if w != ofType+ofFloat && w != ofType+ofDouble && strings.Trim(text, "0123456789+-") != "" {
		return errWhole // the library reads a text up to its point
	}
	return w.number(text)
}

// whole: a number without a fraction, also as 1.0 and 1e3.
func whole(text string, bits int) error {
	if _, err := strconv.ParseInt(text, 10, bits); err == nil {
		return nil
	} else if !strings.ContainsAny(text, ".eE") {
		return errWhole
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x != math.Trunc(x) || math.Abs(x) >= 1<<53 {
		return errWhole
	}
	if _, err := strconv.ParseInt(strconv.FormatFloat(x, 'f', 0, 64), 10, bits); err != nil {
		return errWhole
	}
	return nil
}

func real(text string, bits int) error {
	if _, err := strconv.ParseFloat(text, bits); err != nil {
		return errReal
	}
	return nil
}

// asText: a number for a text keeps its digits, or has six behind the point, as C prints it.
func asText(text string) error {
	if !strings.ContainsAny(text, ".eE") {
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Count(text, "") > 17 {
		return errQuoted
	}
	if again, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 6, 64), 64); again != x {
		return errQuoted
	}
	return nil
}
