// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"

	"onewake.example/httpgate/internal/config"
)

func file(n int, content string) string {
	return fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=f%d; filename=a%d\r\n\r\n%s\r\n", n, n, content)
}

// A gate that is killed while a form comes leaves no files: they have no names yet.
func TestFilesHaveNoNamesUntilTheFormIsThere(t *testing.T) {
	folder := t.TempDir()
	c := converter(t, config.Route{Conv: "ext", Old: config.Old{FileUpload: true, TempDir: folder}})
	in, out := io.Pipe()
	q := httptest.NewRequest("POST", "/x", in)
	q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	go func() {
		for n := 0; n < mostUnnamed; n++ {
			_, _ = io.WriteString(out, file(n, strings.Repeat(fmt.Sprint(n), 100000)))
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Error(left)
		}
		_, _ = io.WriteString(out, file(mostUnnamed, "x")+file(mostUnnamed+1, "y")+"--b--\r\n")
		out.Close()
	}()
	f, remove, err := c.Extended(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	disk, names := f.list("EX_IF_REQFILEDISK"), f.list("EX_IF_REQFILENAME")
	if len(disk) != mostUnnamed+2 || len(names) != len(disk) {
		t.Fatal(disk, names)
	}
	for n, path := range disk[:mostUnnamed] {
		b, err := os.ReadFile(path)
		if err != nil || string(b) != strings.Repeat(fmt.Sprint(n), 100000) || names[n] != fmt.Sprint("a", n) {
			t.Error(path, err, len(b), names[n])
		}
	}
	remove(Fields{"EX_IF_RSPFILEACTION": "K"})
	if left, _ := os.ReadDir(folder); len(left) != len(disk) {
		t.Error(left)
	}
	remove(f)
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Error(left)
	}
}

// The parts of a form are taken as they come; what is not wanted is not kept.
func TestAFormIsReadInParts(t *testing.T) {
	c := converter(t, config.Route{Conv: "multipart"})
	large := strings.Repeat("x", 1<<20)
	q := httptest.NewRequest("POST", "/x", strings.NewReader(file(1, large)+"--b--\r\n"))
	q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := c.Request(q, "", nil); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<19 {
		t.Error(n, "bytes for a part that nobody wants")
	}
	q = httptest.NewRequest("POST", "/x", io.MultiReader(strings.NewReader(file(1, large)), broken{}))
	q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	if _, err := c.Request(q, "", nil); !errors.Is(err, ErrCut) {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A caller that is killed between two parts has not sent a form.
func TestAFormThatEndsBeforeItsEndIsRefused(t *testing.T) {
	c := converter(t, config.Route{Conv: "multipart"})
	for body, ok := range map[string]bool{
		file(1, "x") + "--b--":                          true,
		file(1, "x") + "--b--\r\nepilogue":              true,
		file(1, "x") + "--b\r\n":                        false,
		file(1, "x") + "--b":                            false,
		file(1, "x"):                                    false,
		file(1, "x") + "--b\r\nContent-Di":              false,
		file(1, "--b--") + "--b\r\n":                    false,
		file(1, strings.Repeat("x", 9000)) + "--b \r\n": false,
	} {
		q := httptest.NewRequest("POST", "/x", strings.NewReader(body))
		q.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		if _, err := c.Request(q, "", nil); (err == nil) != ok {
			t.Errorf("%.90q: %v", body, err)
		}
	}
}
