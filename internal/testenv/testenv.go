// Package testenv tells tests what they may use: the environment variables that
// "make test" and "make test-all" set are read here and nowhere else.
package testenv

import (
	"os"
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
	if !strings.HasPrefix(t.Name(), "TestSlow") {
		t.Fatalf("%s is slow: its name must begin with TestSlow", t.Name())
	}
	if os.Getenv(slow) == "" {
		t.Skipf("slow: set %s=1, as \"make test-all\" does", slow)
	}
}
