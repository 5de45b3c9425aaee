// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"bytes"
	"encoding/json"
)

// fields makes fields of an object; numbers keep their digits.
func fields(body []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	m := map[string]any{}
	return m, d.Decode(&m)
}
