//go:build go1.26

package probe

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// checking is set if each call is compared with the goroutine's real stack.
var checking = os.Getenv(EnvCheck) == "1"

// checks holds the results of the checking mode.
var checks struct {
	done   atomic.Int64
	sites  sync.Map // entry pc of an instrumented function → *Site
	mu     sync.Mutex
	wrong  []string
	missed int // number of mismatches that wrong has no room for
}

const maxMismatches = 100

// check compares a new call with the runtime's information. It compares the function's
// name, file and line, the nearest instrumented function up the goroutine's stack, and
// the line of the call in that function.
func check(c, parent *Call) {
	checks.done.Add(1)
	var self *runtime.Frame
	panicking := false
	for f := range frames {
		panicking = panicking || f.Function == "runtime.gopanic"
		if f.Func == nil || isProbe(f.Function) {
			continue
		}
		if self == nil {
			self = &f
			checkSelf(c, f)
			if parent != nil && parent.carried() {
				return // its function has returned
			}
			continue
		}
		site, ok := checks.sites.Load(f.Entry)
		if panicking && parent != nil && site != parent.site() {
			continue // the panic has ended this call; its frame is still there
		}
		if ok {
			checkCaller(c, parent, site.(*Site), f)
			return
		}
	}
	if parent != nil && parent.goroutine == c.goroutine {
		mismatch("%s: recorded below %s, which is not on the stack", c.site().Function, parent.site().Function)
	}
}

func checkSelf(c *Call, f runtime.Frame) {
	site := c.site()
	checks.sites.Store(f.Entry, site)
	// In a generic function, the compiler also counts method values as literals.
	literalInGeneric := strings.Contains(site.Function, "[...]") && strings.Contains(site.Function, ".func")
	if name := withoutTypeArguments(f.Function); name != withoutTypeArguments(site.Function) && !literalInGeneric {
		mismatch("%s: the runtime calls it %s", site.Function, name)
	}
	file, line := f.Func.FileLine(f.Entry)
	if line != site.Line || fileWithoutVersion(file) != site.File {
		mismatch("%s: recorded at %s:%d, the runtime has it at %s:%d", site.Function, site.File, site.Line, file, line)
	}
}

func checkCaller(c, parent *Call, nearest *Site, f runtime.Frame) {
	switch {
	case parent == nil:
		// A trace may begin in the middle of a stack.
	case parent.goroutine != c.goroutine:
		if c.inherits(parent) {
			mismatch("%s: recorded below %s of another goroutine, but it was called by %s", c.site().Function, parent.site().Function, nearest.Function)
		}
	case parent.site() != nearest:
		mismatch("%s: recorded below %s, but it was called by %s", c.site().Function, parent.site().Function, nearest.Function)
	case callSites.line(c.callPC) != f.Line:
		mismatch("%s: recorded as called from line %d of %s, but it was line %d", c.site().Function, callSites.line(c.callPC), nearest.Function, f.Line)
	}
}

func mismatch(format string, args ...any) {
	checks.mu.Lock()
	defer checks.mu.Unlock()
	if len(checks.wrong) == maxMismatches {
		checks.missed++
		return
	}
	checks.wrong = append(checks.wrong, fmt.Sprintf(format, args...))
}

// takeMismatches returns the mismatches since its last call.
func takeMismatches() []string {
	checks.mu.Lock()
	defer checks.mu.Unlock()
	wrong := checks.wrong
	if checks.missed > 0 {
		wrong = append(wrong, fmt.Sprintf("and %d more", checks.missed))
	}
	checks.wrong, checks.missed = nil, 0
	return wrong
}

// withoutTypeArguments removes the text in brackets, because the runtime writes [...]. It
// also turns %2e into a dot.
func withoutTypeArguments(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return strings.ReplaceAll(b.String(), "%2e", ".")
}

// fileWithoutVersion turns the file name of a -trimpath build into Site.File:
// "k8s.io/apiserver@v0.37.1/pkg/server/handler.go" loses "@v0.37.1".
func fileWithoutVersion(file string) string {
	before, after, ok := strings.Cut(file, "@")
	if !ok {
		return file
	}
	_, rest, _ := strings.Cut(after, "/")
	return before + "/" + rest
}
