// Package testenv has helpers for the tests of several packages.
// Some of them skip a test unless an environment variable of "make test", "make test-all"
// or "make test-nightly" is set. Only this package reads these variables.
package testenv

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Names of environment variables.
const (
	// e2e is set if tests may build and run the real programs.
	e2e = "APITRACE_E2E"
	// slow is set if tests may take minutes.
	slow = "APITRACE_SLOW"
	// nightly is set if tests may take many minutes, or make builds of their own.
	nightly = "APITRACE_NIGHTLY"
	// fixtureArch has the architecture for the fixture of package instrument.
	fixtureArch = "APITRACE_FIXTURE_ARCH"
)

// NeedsServer skips a test unless APITRACE_E2E is set. "make test" sets it.
// It is for tests that build or run kube-apiserver or etcd, or download their source.
func NeedsServer(tb testing.TB) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("needs the real kube-apiserver, whose first build takes minutes: set %s=1, as \"make test\" does", e2e)
	}
}

// FixtureArch returns the architecture for the rewriter's fixture.
// "" means this machine's architecture.
// For arm64, the fixture runs in qemu-aarch64-static, an emulator; see .ci/arm64.
func FixtureArch() string { return os.Getenv(fixtureArch) }

// Slow skips a test unless APITRACE_SLOW is set. "make test-all" sets it.
// It is for tests that take minutes. Their names must begin with TestSlow, because
// "make test-all" selects the slow tests by name.
func Slow(t *testing.T) {
	t.Helper()
	if !isSlow(t) {
		t.Fatalf("%s is slow: its name must begin with TestSlow", t.Name())
	}
	if os.Getenv(slow) == "" {
		t.Skipf("slow: set %s=1, as \"make test-all\" does", slow)
	}
}

// Nightly skips a test unless APITRACE_NIGHTLY is set. "make test-nightly" sets it.
// It is for tests that take many minutes, because they go through all releases or make
// large builds that no other test uses. Their names must begin with TestNightly.
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

// Releases selects releases for a test from a sorted list of at least two.
// A slow test gets all releases except the oldest and the newest.
// Any other test gets these two, or only the newest with -short.
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
