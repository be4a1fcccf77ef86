package trace

import (
	"slices"
	"strings"
	"testing"
)

func TestLacksInBothLanguages(t *testing.T) {
	r := &Request{Incomplete: []string{
		LacksDropped("etcd", 12), LacksUntraced("kube-apiserver"), lacksFunctions.With(3, 4).String(), lacksParents.With(5, 1).String(), "by somebody else: 7",
	}}
	for i, lack := range r.Lacks() {
		if lack.In("en") != r.Incomplete[i] {
			t.Errorf("%q became %q", r.Incomplete[i], lack.In("en"))
		}
		foreign := i == len(r.Incomplete)-1
		if chinese := lack.In("zh"); (chinese == r.Incomplete[i]) != foreign {
			t.Errorf("%q is %q in Chinese", r.Incomplete[i], chinese)
		}
	}
	if zh := r.Lacks()[0].In("zh"); !strings.Contains(zh, "etcd") || !strings.Contains(zh, "12") {
		t.Errorf("%q lacks the program or the number", zh)
	}
	if slices.Contains(r.Incomplete, "") {
		t.Errorf("an empty text: %q", r.Incomplete)
	}
}
