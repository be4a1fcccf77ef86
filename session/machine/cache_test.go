package machine

import (
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestCleanWants(t *testing.T) {
	entries := []program.Entry{
		{Kind: program.KindBuild, Name: "new", Complete: true, Edited: true},
		{Kind: program.KindBuild, Name: "old", Complete: true},
		{Kind: program.KindWorkspace, Name: "half"},
		{Kind: program.KindGoCache, Name: "gocache", Complete: true},
	}
	tests := []struct {
		options Clean
		want    string
	}{
		{Clean{}, "new old half gocache "},
		{Clean{Kinds: []string{"build", "gocache"}}, "new old gocache "},
		{Clean{Edited: true}, "new "},
		{Clean{Kinds: []string{"workspace"}, Edited: true}, ""},
	}
	for _, test := range tests {
		got := ""
		for _, e := range entries {
			if test.options.wants(e) {
				got += e.Name + " "
			}
		}
		if got != test.want {
			t.Errorf("%+v: got %q, want %q", test.options, got, test.want)
		}
	}
}
