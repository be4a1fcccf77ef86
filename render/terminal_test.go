package render

import (
	"strings"
	"testing"
)

// env makes a getenv of "NAME=value" texts.
func env(vars string) func(string) string {
	return func(name string) string {
		for _, v := range strings.Fields(vars) {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

func TestUseColour(t *testing.T) {
	for _, test := range []struct {
		flag     string
		terminal bool
		env      string
		want     bool
	}{
		{"", true, "", true},
		{"auto", true, "", true},
		{"auto", false, "", false},
		{"auto", true, "TERM=dumb", false},
		{"auto", true, "NO_COLOR=1", false},
		{"auto", true, "NO_COLOR=", true},
		{"auto", false, "FORCE_COLOR=1", true},
		{"auto", false, "FORCE_COLOR=", false},
		{"auto", false, "FORCE_COLOR=1 TERM=dumb", true},
		{"auto", true, "NO_COLOR=1 FORCE_COLOR=1", false},
		{"always", false, "NO_COLOR=1", true},
		{"never", true, "FORCE_COLOR=1", false},
	} {
		got, err := UseColour(test.flag, test.terminal, env(test.env))
		if err != nil || got != test.want {
			t.Errorf("flag %q, terminal %v, %s: colour is %v (%v), want %v", test.flag, test.terminal, test.env, got, err, test.want)
		}
	}
	if _, err := UseColour("sometimes", true, env("")); err == nil || !strings.Contains(err.Error(), `"sometimes"`) {
		t.Errorf("flag sometimes: got the error %v, expected one that names the flag", err)
	}
}

func TestUseHyperlinks(t *testing.T) {
	for _, test := range []struct {
		terminal bool
		env      string
		want     bool
	}{
		{true, "", false},
		{true, "TERM=xterm-256color", false},
		{true, "VTE_VERSION=7600", true},
		{true, "VTE_VERSION=4602", false},
		{true, "VTE_VERSION=new", false},
		{true, "WT_SESSION=x", true},
		{false, "WT_SESSION=x", false},
		{true, "TERM_PROGRAM=iTerm.app", true},
		{true, "TERM=foot", true},
		{false, "FORCE_HYPERLINK=1", true},
		{true, "FORCE_HYPERLINK=0 TERM=foot", false},
	} {
		if got := UseHyperlinks(test.terminal, env(test.env)); got != test.want {
			t.Errorf("terminal %v, %s: hyperlinks %v, want %v", test.terminal, test.env, got, test.want)
		}
	}
}
