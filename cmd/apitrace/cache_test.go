package main

import (
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestCleanWants(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	entries := []program.Entry{
		{Kind: program.KindBuild, Name: "new", LastUsed: time.Now(), Complete: true},
		{Kind: program.KindBuild, Name: "old", LastUsed: old, Complete: true},
		{Kind: program.KindWorkspace, Name: "half", LastUsed: time.Now()},
		{Kind: program.KindGoCache, Name: "gocache", LastUsed: old, Complete: true},
	}
	tests := []struct {
		options cleanOptions
		want    string
	}{
		{cleanOptions{}, "new old half gocache "},
		{cleanOptions{kinds: []string{"build", "gocache"}}, "new old gocache "},
		{cleanOptions{olderThan: time.Minute}, "old gocache "},
		{cleanOptions{kinds: []string{"build"}, olderThan: time.Minute}, "old "},
		{cleanOptions{unfinished: true}, "half "},
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
