package machine

import (
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestCleanWants(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	entries := []program.Entry{
		{Kind: program.KindBuild, Name: "new", LastUsed: time.Now(), Complete: true, Edited: true},
		{Kind: program.KindBuild, Name: "old", LastUsed: old, Complete: true},
		{Kind: program.KindWorkspace, Name: "half", LastUsed: time.Now()},
		{Kind: program.KindGoCache, Name: "gocache", LastUsed: old, Complete: true},
	}
	tests := []struct {
		options Clean
		want    string
	}{
		{Clean{}, "new old half gocache "},
		{Clean{Kinds: []string{"build", "gocache"}}, "new old gocache "},
		{Clean{OlderThan: time.Minute}, "old gocache "},
		{Clean{Kinds: []string{"build"}, OlderThan: time.Minute}, "old "},
		{Clean{Unfinished: true}, "half "},
		{Clean{Edited: true}, "new "},
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
