package e2e

import (
	"cmp"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// checkParents checks that the probes have compared all calls of a scenario's traces
// with the goroutines' real stacks, and that they found no difference. They compare
// each call's name, place, parent and calling line. before has the number of earlier
// checks on each server.
func checkParents(t *testing.T, s *apiserver.Server, scenario *scenarios.Scenario, requests []trace.Request, found *collect.Check, before map[*apiserver.Server]int64) {
	t.Helper()
	for _, m := range found.Mismatches {
		t.Error(m)
	}
	calls := 0
	for _, r := range requests {
		calls += len(r.Calls)
	}
	if calls == 0 || found.Calls-before[s] < int64(calls) {
		t.Errorf("the probes have checked %d calls, but the traces have %d calls", found.Calls-before[s], calls)
	}
	if !scenario.Setup.Aggregated { // otherwise the count includes the probe of the sample server, which has ended
		before[s] = found.Calls
	}
}

// TestTreesDoNotDependOnLuck checks that names, nesting and the order on each goroutine
// are the same in three of at most ten replays.
func TestTreesDoNotDependOnLuck(t *testing.T) {
	for _, name := range []string{"get-node", "create-deployment"} {
		t.Run(name, func(t *testing.T) { usualTree(t, server(t, traced), name, 3, 10) })
	}
}

// TestSlowTreesDoNotDependOnLuck checks the same in eighteen of at most thirty replays,
// and on a server that has just started.
func TestSlowTreesDoNotDependOnLuck(t *testing.T) {
	testenv.Slow(t)
	for _, name := range []string{"get-node", "create-deployment"} {
		t.Run(name, func(t *testing.T) {
			usual := usualTree(t, server(t, traced), name, 18, 30)
			fresh, err := apiserver.Start(t.Context(), build(t, false), apiserver.StartOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if tree := usualTree(t, fresh, name, 2, 5); tree != usual {
				t.Errorf("the tree on a new server differs:\n%s", drift(usual, tree))
			}
			if err := fresh.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// usualTree replays a scenario until a number of replays have given the same tree, and
// returns this tree. The test fails if that takes more than most replays. A replay may
// differ, because the server's own writes can coincide with writes of the replay.
func usualTree(t *testing.T, s *apiserver.Server, name string, times, most int) string {
	t.Helper()
	seen := map[string]int{}
	for range most {
		requests, _ := play(t, s, name)
		tree := names(t, requests)
		if seen[tree]++; seen[tree] == times {
			return tree
		}
	}
	trees := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Compare(seen[b], seen[a]) })
	t.Fatalf("%d different trees in %d replays, the most frequent one %d times, expected %d times. The next tree differs in:\n%s", len(seen), most, seen[trees[0]], times, drift(trees[0], trees[1]))
	return ""
}

// names lists the functions of the calls, each below its caller. It leaves out
// functions that depend on the number of earlier writes. Calls on the caller's
// goroutine come before calls that other goroutines make for it, because the scheduler
// decides which goroutine is first. For example, the watch cache counts an event
// (metrics.RecordResourceVersion) while another goroutine dispatches it.
func names(t *testing.T, requests []trace.Request) string {
	t.Helper()
	var out strings.Builder
	for _, r := range steady(t, requests) {
		tree, err := trace.NewTree(&r)
		if err != nil {
			t.Fatal(err)
		}
		var write func(i int)
		write = func(i int) {
			fmt.Fprintf(&out, "%*s%s\n", 2*tree.Depth(i), "", tree.Call(i).Function)
			for _, here := range []bool{true, false} {
				for c := range tree.Children(i) {
					if (tree.Call(c).Goroutine == tree.Call(i).Goroutine) == here {
						write(c)
					}
				}
			}
		}
		fmt.Fprintf(&out, "# %s %s -> %d\n", r.Method, r.Path, r.Status)
		write(0)
	}
	return out.String()
}

// steady returns the requests without housekeeping.
func steady(t *testing.T, requests []trace.Request) []trace.Request {
	t.Helper()
	var all []trace.Request
	for _, r := range requests {
		all = append(all, withoutHousekeeping(t, r))
	}
	return all
}

// housekeeping matches functions that run depending on the number or the time of earlier
// writes.
//
// The watch cache keeps events of a resource, a hundred at first. When there are too
// many, it doubles the capacity, or drops the oldest event at each new one. It finds a
// place among them by binary search.
//
// etcd asks whether the only generation of a key is empty. A key that was deleted and
// created again has more generations.
//
// etcd's backend commits ten times a second. Until then, reads find new data in its buffers
// instead of on the disk. A commit drops the empty buffer of a bucket, and the next write
// makes it again (tx_buffer.go, etcd v3.7.0).
var housekeeping = regexp.MustCompile(strings.Join([]string{
	`cacher.*\)\.(doCacheResizeLocked|CompactSnapshotsLocked|OldestResourceVersionLocked|isCacheFullLocked)$`,
	`cacher.*\)\.(GetIntervalLocked|getAllEventsSinceLocked|GetAllEventsSinceThreadUnsafe)\.func1$`,
	`mvcc\.\(\*generation\)\.isEmpty$`,
	`backend\.(newBucketBuffer|unsafeRange)$`,
	`backend\.\(\*(bucketBuffer|txBuffer|txReadBuffer|txWriteBuffer)\)\.`,
	`backend\.\(\*readTx\)\.(Lock|Unlock)$`,
}, "|"))

func withoutHousekeeping(t *testing.T, r trace.Request) trace.Request {
	t.Helper()
	tree, err := trace.NewTree(&r)
	if err != nil {
		t.Fatal(err)
	}
	var calls []trace.Call
	for i := 0; i < tree.Len(); {
		if housekeeping.MatchString(tree.Call(i).Function) {
			i = tree.End(i)
			continue
		}
		calls = append(calls, *tree.Call(i))
		i++
	}
	r.Calls = calls
	return r
}

// TestTreesHold checks that a GET and a create call the functions that walk-throughs of
// the apiserver name, in this order.
func TestTreesHold(t *testing.T) {
	for name, want := range map[string][]string{
		"get-node": {
			"server.(*APIServerHandler).ServeHTTP", "filters.withAuthentication.func1", "filters.withAuthorization.func1",
			"server.director.ServeHTTP", "restful/v3.(*Container).Dispatch", "endpoints.restfulGetResource.func1",
			"handlers.GetResource", "handlers.getResourceHandler", "handlers.getResourceHandler.func1",
			"registry/generic/registry.(*Store).Get", "cacher.(*CacheDelegator).Get", "etcd3.(*store).Get",
			"client/v3.(*retryKVClient).Range", "v3rpc.(*kvServer).Range", "mvcc.(*storeTxnCommon).rangeKeys",
			"etcd3.(*defaultDecoder).Decode", "responsewriters.WriteObjectNegotiated",
		},
		"create-deployment": {
			"filters.withAuthentication.func1", "filters.withAuthorization.func1", "endpoints.restfulCreateResource.func1",
			"handlers.CreateResource", "handlers.createHandler", "handlers.createHandler.func1", "serializer/versioning.(*codec).Decode",
			"v1.SetObjectDefaults_Deployment", "v1.Convert_v1_Deployment_To_apps_Deployment",
			"metrics.pluginHandlerWithMetrics.Admit", "lifecycle.(*Lifecycle).Admit", "limitranger.(*LimitRanger).Admit",
			"registry/generic/registry.(*Store).Create", "rest.BeforeCreate", "deployment.deploymentStrategy.PrepareForCreate",
			"deployment.deploymentStrategy.Validate", "deployment.deploymentStrategy.WarningsOnCreate",
			"deployment.deploymentStrategy.Canonicalize", "metrics.pluginHandlerWithMetrics.Validate",
			"etcd3.(*store).Create", "client/v3.(*retryKVClient).Txn", "v3rpc.(*kvServer).Txn",
			"apply.(*applierV3backend).Apply", "txn.Txn", "mvcc.(*storeTxnWrite).put",
		},
	} {
		t.Run(name, func(t *testing.T) {
			requests, _ := play(t, server(t, traced), name)
			calls := requests[0].Calls
			for _, suffix := range want {
				i := slices.IndexFunc(calls, func(c trace.Call) bool { return strings.HasSuffix(c.Function, suffix) })
				if i < 0 {
					t.Fatalf("no call of %s after the calls of the functions before it in the list", suffix)
				}
				calls = calls[i+1:]
			}
		})
	}
}

// TestLinesAreTrue compares the name, file and line of every instrumented function with
// the symbol table of the traced program. The compiler made the table from the
// rewritten source; the rewriter read the functions in the pristine source.
func TestLinesAreTrue(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("this test reads the symbol table of an ELF file")
	}
	b := build(t, false)
	functions := rewrite(t, b)
	for _, p := range []struct {
		name, binary string
		atLeast      int
	}{{apiserver.Name, b.APIServer.Path, 10_000}, {storage.Name, b.Etcd.Path, 500}, {sampleserver.Name, sample(t).Path, 2_000}} {
		t.Run(p.name, func(t *testing.T) {
			compiled := symbols(t, p.binary)
			found := 0
			for _, f := range functions[p.name] {
				got, ok := compiled[f.Name]
				if !ok {
					continue // the linker removed the function because nothing calls it
				}
				found++
				if literalInGeneric.MatchString(f.Name) {
					continue // in generic functions the compiler counts method values as literals
				}
				if want := fmt.Sprintf("%s:%d", f.File, f.Line); !slices.Contains(got, want) {
					t.Errorf("%s is recorded at %s, but was compiled from %s", f.Name, want, got)
				}
			}
			if found < p.atLeast {
				t.Errorf("%d of %d instrumented functions were found in the program, expected at least %d", found, len(functions[p.name]), p.atLeast)
			}
			t.Logf("%d of %d instrumented functions are in the program", found, len(functions[p.name]))
		})
	}
}

var (
	moduleVersion = regexp.MustCompile(`@[^/]*`)
	typeArguments = regexp.MustCompile(`\[.*\]`)

	literalInGeneric = regexp.MustCompile(`\[\.\.\.\].*\.func`)
)

// symbols returns the places from which the functions of a program were compiled. The
// keys are full names. A generic function may have several places.
func symbols(t *testing.T, file string) map[string][]string {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pclntab, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(pclntab, f.Section(".text").Addr))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, fn := range table.Funcs {
		at, line, _ := table.PCToLine(fn.Entry)
		name := typeArguments.ReplaceAllString(strings.ReplaceAll(fn.Name, "%2e", "."), "[...]")
		all[name] = append(all[name], fmt.Sprintf("%s:%d", moduleVersion.ReplaceAllString(at, ""), line))
	}
	return all
}

// TestServersLeaveNothingOpen checks that only the owner may read the files in the
// folders of the shared servers.
func TestServersLeaveNothingOpen(t *testing.T) {
	s := server(t, traced)
	err := filepath.WalkDir(s.RunDir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s: others may read it", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
