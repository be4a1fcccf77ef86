package funcname

import "testing"

func TestPackages(t *testing.T) {
	for text, want := range map[string]map[string]bool{
		"k8s.io/p":     {"k8s.io/p": true, "k8s.io/p/sub": false, "k8s.io": false, "": false},
		"k8s.io/p/...": {"k8s.io/p": true, "k8s.io/p/sub": true, "k8s.io/p2": false, "k8s.io": false},
		"k8s.io/p...":  {"k8s.io/p": false, "k8s.io/p2": false, "k8s.io/p...": true},
	} {
		p := ParsePackages(text)
		if p.String() != text {
			t.Errorf("ParsePackages(%q) prints as %q", text, p)
		}
		for pkg, has := range want {
			if p.Has(pkg) != has {
				t.Errorf("%q has %q: %t, expected %t", text, pkg, !has, has)
			}
		}
	}
}
