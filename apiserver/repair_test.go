package apiserver

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestRepairs checks that each release gets only the repairs that it needs. Another repair
// would change the program and its key.
func TestRepairs(t *testing.T) {
	for version, want := range map[string]struct{ replace, generate int }{
		"v1.18.2": {2, 1}, "v1.19.16": {2, 1}, "v1.20.15": {1, 1}, "v1.22.17": {1, 1}, "v1.23.17": {0, 1},
		"v1.24.17": {}, "v1.25.15": {}, "v1.25.16": {1, 0}, "v1.26.15": {}, DefaultVersion: {},
	} {
		p := Program(version)
		if len(p.Replace) != want.replace || len(p.Generate) != want.generate {
			t.Errorf("%s has the repairs %v and %v, expected other numbers of them", version, p.Replace, p.Generate)
		}
	}
	if first, second := Program("v1.22.17"), Program("v1.22.17"); len(first.Generate) != len(second.Generate) {
		t.Error("the second call of Program returned more repairs than the first, expected the same")
	}
}

// TestDocsCountTheRepairs checks the number of repairs for each release in docs/versions.md.
func TestDocsCountTheRepairs(t *testing.T) {
	for _, page := range []string{"../docs/versions.md", "../docs/versions.zh.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		stated := map[string]string{}
		for _, row := range repairRow.FindAllStringSubmatch(string(text), -1) {
			for _, version := range strings.FieldsFunc(row[1], func(r rune) bool { return !strings.ContainsRune("v.0123456789", r) }) {
				stated[version] = row[2]
			}
		}
		for _, version := range releases {
			p, newest := Program(version), "v1.26.15" // the row of v1.26.15 is for newer releases, too
			if semver.Compare(version, newest) > 0 {
				stated[version] = stated[newest]
			}
			if want := strconv.Itoa(len(p.Replace) + len(p.Generate)); stated[version] != want {
				t.Errorf("%s says that %s has %q repairs, but it has %s", page, version, stated[version], want)
			}
		}
	}
}

// repairRow is a row of the table of repairs: releases and the number of their repairs.
var repairRow = regexp.MustCompile(`(?m)^\| (v1\.[^|]*) \| (\d)(?:[:：][^|]*)? \|$`)

func TestEveryMinorVersion(t *testing.T) {
	for _, want := range releases {
		minor := semver.MajorMinor(want)
		for in, want := range map[string]string{want: want, minor: want, minor[1:]: want, minor + ".99": minor + ".99"} {
			if got, err := ParseVersion(in); err != nil || got != want {
				t.Errorf("ParseVersion(%q) = %q, %v, want %q", in, got, err, want)
			}
		}
	}
	for _, in := range append(slices.Clone(readOnly), "v1.9.0", "1.15") {
		_, err := ParseVersion(in)
		if err == nil || !strings.Contains(err.Error(), strings.Join(releases, ", ")) {
			t.Errorf("ParseVersion(%q): got %v, want an error that lists all releases", in, err)
		}
	}
}

// TestNoInsecurePort checks that kube-apiserver does not listen on port 8080 without
// authentication.
func TestNoInsecurePort(t *testing.T) {
	for version, want := range map[string]bool{"v1.18.2": true, "v1.19.16": true, "v1.22.17": false, DefaultVersion: false} {
		s := &Server{K8sVersion: version}
		if got := slices.Contains(s.flags(files{}, 1), "--insecure-port=0"); got != want {
			t.Errorf("the flags of %s have --insecure-port=0: %t, want %t", version, got, want)
		}
	}
}
