package view

import "testing"

func TestApart(t *testing.T) {
	for _, test := range []struct {
		of                 func(a, b string) (string, string)
		a, b, wantA, wantB string
	}{
		{FilesApart, "x.io/pkg/fileutil/sync.go", "x.io/v3/fileutil/sync.go", "pkg/fileutil/sync.go", "v3/fileutil/sync.go"},
		{FilesApart, "x.io/a/one.go", "x.io/b/two.go", "one.go", "two.go"},
		{FilesApart, "a/one.go", "x.io/a/one.go", "a/one.go", "x.io/a/one.go"},
		{valuesApart, "*x.io/a/quota.Q", "*x.io/b/quota.Q", "*a/quota.Q", "*b/quota.Q"},
		{valuesApart, "x.io/a/b/quota.Q", "x.io/c/b/quota.Q", "a/b/quota.Q", "c/b/quota.Q"},
		{valuesApart, "*x.io/a/quota.Q", "x.io/a/quota.Q", "*quota.Q", "quota.Q"},
		{valuesApart, "/v1, Kind=Node", "v1, Kind=Node", "/v1, Kind=Node", "v1, Kind=Node"},
		{valuesApart, "", "x.io/a/quota.Q", "", "quota.Q"},
	} {
		if a, b := test.of(test.a, test.b); a != test.wantA || b != test.wantB {
			t.Errorf("%q and %q: %q and %q, expected %q and %q", test.a, test.b, a, b, test.wantA, test.wantB)
		}
	}
}
