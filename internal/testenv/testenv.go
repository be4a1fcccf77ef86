// Package testenv tells tests what they may use: the environment variables that
// "make test", "make test-all" and "make test-nightly" set are read here and nowhere else. It also holds how tests wait.
package testenv

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	// e2e is set where tests may build and run the real programs.
	e2e = "APITRACE_E2E"
	// slow is set where tests may take minutes.
	slow = "APITRACE_SLOW"
	// nightly is set where tests may take many minutes, or build what nothing else needs.
	nightly = "APITRACE_NIGHTLY"
	// fixtureArch is the architecture for which the fixture of package instrument is built, to run in an emulator.
	fixtureArch = "APITRACE_FIXTURE_ARCH"
)

// NeedsServer skips a test that builds or runs kube-apiserver or etcd, or downloads their source, unless
// APITRACE_E2E is set, as "make test" does.
func NeedsServer(tb testing.TB) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("needs the real kube-apiserver, whose first build takes minutes: set %s=1, as \"make test\" does", e2e)
	}
}

// FixtureArch returns the architecture for which to build the rewriter's fixture, "" for this machine's. With arm64 it runs
// in qemu-aarch64-static, as .ci/arm64 does.
func FixtureArch() string { return os.Getenv(fixtureArch) }

// Slow skips a test that takes minutes unless APITRACE_SLOW is set, as "make test-all" does. The
// test's name must begin with TestSlow: test-all runs those tests and no others, so that it repeats nothing.
func Slow(t *testing.T) {
	t.Helper()
	if !isSlow(t) {
		t.Fatalf("%s is slow: its name must begin with TestSlow", t.Name())
	}
	if os.Getenv(slow) == "" {
		t.Skipf("slow: set %s=1, as \"make test-all\" does", slow)
	}
}

// Nightly skips a test that goes through all releases for many minutes, or builds large programs for itself alone, unless APITRACE_NIGHTLY
// is set, as "make test-nightly" does. The test's name must begin with TestNightly.
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

// Releases returns those of a sorted list of recorded releases that a test goes through: the oldest and the newest one,
// and a slow test the others. With -short, which is for the race detector, it is the newest alone.
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
