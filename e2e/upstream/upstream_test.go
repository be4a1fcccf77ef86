package upstream

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

var (
	release = flag.String("upstream.k8s", apiserver.DefaultVersion, "the release of Kubernetes that TestNightlyUpstream tests")
	only    = flag.String("upstream.only", "", "the packages that TestNightlyUpstream tests, as patterns separated by blanks; by default all packages that serve requests")
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){tracedCommand: runTraced})
}

// libraries are patterns of the packages that serve requests, by program.
var libraries = map[string][]string{
	trace.ProcessAPIServer: {
		"k8s.io/apiserver/pkg/storage/...", "k8s.io/apiserver/pkg/endpoints/...", "k8s.io/apiserver/pkg/registry/...", "k8s.io/apiserver/pkg/admission/...",
		"k8s.io/apiserver/pkg/server/...", "k8s.io/apiserver/pkg/util/flowcontrol/...", "k8s.io/apiserver/pkg/audit/...",
		"k8s.io/apiserver/pkg/authentication/...", "k8s.io/apiserver/pkg/authorization/...",
		"k8s.io/kubernetes/pkg/registry/...", "k8s.io/kubernetes/pkg/controlplane/...", "k8s.io/kubernetes/plugin/pkg/...",
		"k8s.io/kube-aggregator/pkg/...", "k8s.io/apiextensions-apiserver/pkg/...",
	},
	storage.Name: {"go.etcd.io/etcd/server/v3/storage/mvcc", "go.etcd.io/etcd/server/v3/etcdserver"},
}

// countAllocations has tests of v1.37.1 that fail if a call allocates memory. They fail in
// the traced form, because the checking mode allocates memory in each call.
var countAllocations = []string{
	"k8s.io/apiserver/pkg/authentication/token/cache TestUnsafeConversions",
	"k8s.io/apiserver/pkg/authentication/token/cache TestUnsafeConversions/toBytes_allocations",
	"k8s.io/apiserver/pkg/authentication/token/cache TestUnsafeConversions/toString_allocations",
	"k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2 TestKeyFunc",
	"k8s.io/apiserver/pkg/storage/value/encrypt/envelope/kmsv2 TestKeyFunc/AllocsPerRun_test",
}

// misjudged has false mismatches of v1.37.1. A handler of withLogging calls another handler
// of withLogging, which panics. The deferred call belongs to the first handler, which is at
// line 140. The checking mode compares it with the nearest frame of the same name, which
// belongs to the second handler.
var misjudged = []string{
	"k8s.io/apiserver/pkg/server/httplog.withLogging.func1.1: recorded as called from line 140 of k8s.io/apiserver/pkg/server/httplog.withLogging.func1, but it was line 119",
}

// TestNightlyUpstream runs the tests of all packages that serve requests three times:
// on the pristine source, on the idle rewritten source, and on the traced one. Flags
// can name the packages instead.
func TestNightlyUpstream(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Nightly(t)
	for _, program := range slices.Sorted(maps.Keys(libraries)) {
		packages := libraries[program]
		if *only != "" {
			packages = slices.DeleteFunc(strings.Fields(*only), func(p string) bool {
				return strings.HasPrefix(p, "go.etcd.io/") != (program == storage.Name)
			})
		}
		if len(packages) > 0 {
			t.Run(program, func(t *testing.T) { agree(t, newTree(t, program, *release), packages...) })
		}
	}
}

// agree checks that the tests of packages end the same way in all three forms, and that
// each traced call agrees with the stack.
func agree(t *testing.T, from *tree, packages ...string) {
	t.Helper()
	differences, checked := from.compare(t, packages)
	for _, d := range differences {
		t.Error(d)
	}
	t.Logf("%d calls were compared with the stack", checked)
	if checked == 0 {
		t.Error("no call was compared with the stack")
	}
}

// compare runs the tests of packages in all three forms. It returns the differences,
// and the number of calls that the checking mode compared.
func (from *tree) compare(t *testing.T, packages []string) (differences []string, checked int64) {
	t.Helper()
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	pristine := from.test(t, pristineForm, packages)
	count := map[string]int{}
	for _, outcome := range pristine {
		count[outcome]++
	}
	t.Logf("pristine: %v", count)
	if count["pass"] == 0 {
		t.Fatal("no test passed on the pristine source")
	}
	for _, f := range []form{idleForm, tracedForm} {
		rewritten := from.test(t, f, packages)
		for _, test := range slices.Sorted(maps.Keys(pristine)) {
			if f == tracedForm && slices.Contains(countAllocations, test) {
				continue
			}
			if was, is := pristine[test], rewritten[test]; was != is && !from.ends(t, f, test, was) {
				differ("%s: %s: pristine: %s, now: %s", f, test, was, cmp.Or(is, "not run"))
			}
		}
		t.Logf("%s: %d tests compared", f, len(pristine))
	}
	for _, r := range from.reports(t) {
		checked += r.Checked
		for _, m := range r.Mismatches {
			if !slices.Contains(misjudged, m) {
				differ("%s: %s", r.Package, m)
			}
		}
		if r.Error != "" {
			differ("%s: %s", r.Package, r.Error)
		}
		if !r.Ended {
			t.Logf("%s: the tests ended before the probe's findings could be read", r.Package)
		}
	}
	return differences, checked
}
