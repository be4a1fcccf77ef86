package trace

import (
	"slices"
	"strings"
	"testing"
)

func TestLacksInBothLanguages(t *testing.T) {
	r := &Request{Incomplete: []string{
		LacksDropped("etcd", 12), LacksGivenUp("etcd", 3), LacksUntraced("kube-apiserver"), lacksFunctions.With(3, 4).String(), lacksParents.With(5, 1).String(), "by somebody else: 7",
	}}
	for i, lack := range r.Lacks() {
		if lack.In("en") != r.Incomplete[i] {
			t.Errorf("Lacks turns %q into %q in English, expected the same text", r.Incomplete[i], lack.In("en"))
		}
		foreign := i == len(r.Incomplete)-1
		if chinese := lack.In("zh"); (chinese == r.Incomplete[i]) != foreign {
			t.Errorf("%q is %q in Chinese, expected a translation of apitrace's texts only", r.Incomplete[i], chinese)
		}
	}
	if zh := r.Lacks()[0].In("zh"); !strings.Contains(zh, "etcd") || !strings.Contains(zh, "12") {
		t.Errorf("the Chinese text %q does not have the program \"etcd\" and the number 12", zh)
	}
	if slices.Contains(r.Incomplete, "") {
		t.Errorf("Incomplete has an empty text: %q", r.Incomplete)
	}
}
