// Package testenv tells tests which resources they may use. Only this package reads the
// environment variables of "make test", "make test-all" and "make test-nightly". It also
// has the helpers with which tests wait. Helpers for a single package don't belong here.
package testenv

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	// e2e is set if tests may build and run the real programs.
	e2e = "APITRACE_E2E"
	// slow is set if tests may take minutes.
	slow = "APITRACE_SLOW"
	// nightly is set if tests may take many minutes, or make builds only for themselves.
	nightly = "APITRACE_NIGHTLY"
	// fixtureArch is the architecture of the fixture of package instrument, which may run in
	// an emulator.
	fixtureArch = "APITRACE_FIXTURE_ARCH"
)

// NeedsServer skips a test that builds or runs kube-apiserver or etcd, or downloads their
// source, unless APITRACE_E2E is set, as by "make test".
func NeedsServer(tb testing.TB) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("needs the real kube-apiserver, whose first build takes minutes: set %s=1, as \"make test\" does", e2e)
	}
}

// FixtureArch returns the architecture of the rewriter's fixture. "" means this
// machine's. For arm64, it runs in qemu-aarch64-static, as .ci/arm64 does.
func FixtureArch() string { return os.Getenv(fixtureArch) }

// Slow skips a test that takes minutes, unless APITRACE_SLOW is set, as by "make
// test-all". Its name must begin with TestSlow: test-all runs only these, and repeats no
// other test.
func Slow(t *testing.T) {
	t.Helper()
	if !isSlow(t) {
		t.Fatalf("%s is slow: its name must begin with TestSlow", t.Name())
	}
	if os.Getenv(slow) == "" {
		t.Skipf("slow: set %s=1, as \"make test-all\" does", slow)
	}
}

// Nightly skips a test that goes through all releases for many minutes, or that builds
// large programs for itself alone, unless APITRACE_NIGHTLY is set, as by "make
// test-nightly". Its name must begin with TestNightly.
func Nightly(t *testing.T) {
	t.Helper()
	if !strings.HasPrefix(t.Name(), "TestNightly") {
		t.Fatalf("%s runs at night: its name must begin with TestNightly", t.Name())
	}
	if os.Getenv(nightly) == "" {
		t.Skipf("takes many minutes: set %s=1, as \"make test-nightly\" does", nightly)
	}
}

func isSlow(t *testing.T) bool { return strings.HasPrefix(t.Name(), "TestSlow") }

// Releases selects releases for a test from a sorted list: the oldest and the newest, or
// all others for a slow test. With -short, for the race detector, it selects only the
// newest.
func Releases[R any](t *testing.T, all []R) []R {
	t.Helper()
	oldest, between, newest := all[:1], all[1:len(all)-1], all[len(all)-1:]
	switch {
	case isSlow(t):
		return between
	case testing.Short():
		return newest
	default:
		return slices.Concat(oldest, newest)
	}
}
