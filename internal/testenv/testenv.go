// Package testenv tells tests what they may use: the environment variables that
// "make test" and "make test-all" set are read here and nowhere else. It also holds how tests wait.
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
)

// NeedsServer skips a test that builds or runs kube-apiserver or etcd, or downloads their source, unless
// APITRACE_E2E is set, as "make test" does.
func NeedsServer(tb testing.TB) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("needs the real kube-apiserver, whose first build takes minutes: set %s=1, as \"make test\" does", e2e)
	}
}

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
