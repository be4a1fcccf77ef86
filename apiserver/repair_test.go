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

// Each release gets only the repairs for it. A needless repair would change the
// release's key and its program.
func TestRepairs(t *testing.T) {
	for version, want := range map[string]struct{ replace, generate int }{
		"v1.18.2": {2, 1}, "v1.19.16": {2, 1}, "v1.20.15": {1, 1}, "v1.22.17": {1, 1}, "v1.23.17": {0, 1},
		"v1.24.17": {}, "v1.25.15": {}, "v1.25.16": {1, 0}, "v1.26.15": {}, DefaultVersion: {},
	} {
		p := Program(version)
		if len(p.Replace) != want.replace || len(p.Generate) != want.generate {
			t.Errorf("%s is repaired with %v and %v", version, p.Replace, p.Generate)
		}
	}
	if first, second := Program("v1.22.17"), Program("v1.22.17"); len(first.Generate) != len(second.Generate) {
		t.Error("repairs add up")
	}
}

// The page on versions states the number of repairs for each release.
func TestDocsCountTheRepairs(t *testing.T) {
	for _, page := range []string{"../docs/versions.md", "../docs/versions.zh.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]string{}
		for _, row := range repairRow.FindAllStringSubmatch(string(text), -1) {
			for _, version := range strings.FieldsFunc(row[1], func(r rune) bool { return !strings.ContainsRune("v.0123456789", r) }) {
				told[version] = row[2]
			}
		}
		for _, version := range releases {
			p, newest := Program(version), "v1.26.15" // which stands for the newer ones
			if semver.Compare(version, newest) > 0 {
				told[version] = told[newest]
			}
			if want := strconv.Itoa(len(p.Replace) + len(p.Generate)); told[version] != want {
				t.Errorf("%s says that %s has %q repairs, but it has %s", page, version, told[version], want)
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
			t.Errorf("ParseVersion(%q): %v, want an error that names what there is", in, err)
		}
	}
}

// A release that would listen on port 8080 for everybody gets a flag against it.
func TestNoInsecurePort(t *testing.T) {
	for version, want := range map[string]bool{"v1.18.2": true, "v1.19.16": true, "v1.22.17": false, DefaultVersion: false} {
		s := &Server{K8sVersion: version}
		if got := slices.Contains(s.flags(files{}, 1), "--insecure-port=0"); got != want {
			t.Errorf("%s is started with --insecure-port=0: %t, want %t", version, got, want)
		}
	}
}
