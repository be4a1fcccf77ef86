package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Costly skips a test that needs no server but more processor time than "make check"
// allows, unless APITRACE_E2E is set, as by "make test". does describes the work: "builds
// programs".
func Costly(tb testing.TB, does string) {
	tb.Helper()
	if os.Getenv(e2e) == "" {
		tb.Skipf("%s, which takes longer than the quick tests may: set %s=1, as \"make test\" does", does, e2e)
	}
}

// browser is set if the page's tests must run, and fail without Chromium.
const browser = "APITRACE_BROWSER"

// Chromium returns the browser for the page's tests. It skips the test unless
// APITRACE_E2E or APITRACE_BROWSER is set. Without Chromium, it skips the test, or fails
// it if APITRACE_BROWSER is set.
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
