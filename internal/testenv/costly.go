package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Costly skips a test unless APITRACE_E2E is set. "make test" sets it.
// It is for tests without a server that take too much time for "make check".
// The parameter does says what the test does, such as "builds programs".
func Costly(tb testing.TB, does string) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("%s, which takes longer than the quick tests may: set %s=1, as \"make test\" does", does, e2e)
	}
}

// browser is the environment variable that is set if the page's tests must run.
// They then fail without Chromium.
const browser = "APITRACE_BROWSER"

// Chromium returns the path of the browser for the page's tests.
// It skips the test unless APITRACE_E2E or APITRACE_BROWSER is set.
// If no Chromium is installed, it fails the test if APITRACE_BROWSER is set, and
// otherwise skips it.
func Chromium(tb testing.TB) string {
	tb.Helper()
	required := os.Getenv(browser) != ""
	if !required {
		Costly(tb, "drives a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if required {
		tb.Fatalf("no Chromium is installed, but %s asks for the tests of the page", browser)
	}
	tb.Skip("no Chromium is installed")
	return ""
}
