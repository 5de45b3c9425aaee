// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"strings"
	"testing"

	"onewake.example/httpgate/internal/config"
	"onewake.example/httpgate/internal/route"
)

func TestScopesOfNobodyAreNoRoute(t *testing.T) {
	g := &Gate{}
	s := &state{cfg: &config.HTTP{}}
	_, err := g.serve(s, &route.Entry{Route: &config.Route{Service: "X", Conv: "text", Scopes: []string{"pay"}}})
	if err == nil || !strings.Contains(err.Error(), "auth") {
		t.Error(err)
	}
}
