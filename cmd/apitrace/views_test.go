package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// show runs "apitrace show" on one of the recordings of testdata, 80 columns wide, and
// returns the output.
func show(t *testing.T, recording string, flags ...string) string {
	t.Helper()
	out, notices := showNoticed(t, recording, flags...)
	if notices != "" {
		t.Errorf("show %s %s: unexpected notice: %s", recording, strings.Join(flags, " "), notices)
	}
	return out
}

// showNoticed is like show, but returns the notices on standard error instead of
// reporting them as errors.
func showNoticed(t *testing.T, recording string, flags ...string) (printed, noticed string) {
	t.Helper()
	t.Setenv("COLORTERM", "truecolor")
	for _, name := range []string{"COLUMNS", "LC_CTYPE", "NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "LC_ALL", "LC_MESSAGES", "LANG"} {
		t.Setenv(name, "")
	}
	var out, notices bytes.Buffer
	args := append([]string{"apitrace", "show", filepath.Join("testdata", recording+".jsonl")}, flags...)
	if err := execute(t.Context(), args, &console.Streams{Out: &out, Err: &notices}); err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out.String(), notices.String()
}

// saved are the recordings in testdata, made on real servers.
var saved = []string{"get-node", "create-deployment", "get-not-found", "create-invalid"}

// TestViews compares the views of real recordings with golden files, which are named
// after the recording and the flags. In the files, ␛ stands for the escape character.
func TestViews(t *testing.T) {
	for _, test := range []struct{ recording, flags string }{
		{"get-node", ""},
		{"get-node", "--ascii"},
		{"get-node", "--color always"},
		{"get-node", "--width 120"},
		{"get-node", "--view outline"},
		{"get-node", "--view outline --lang zh"},
		{"get-node", "--view outline --ascii --color always"},
		{"get-node", "--depth 2"},
		{"create-deployment", ""},
		{"create-deployment", "--ascii --color always"},
		{"create-deployment", "--view outline"},
		{"create-deployment", "--upstream --layer handler,upstream-tracing"},
		{"create-deployment", "--layer authorization --notes"},
		{"create-deployment", "--layer authorization --notes --lang zh"},
		{"create-deployment", "--view full --function k8s.io/apiserver/pkg/admission/... --not-function ...Handles"},
		{"create-deployment", "--errors"},
		{"create-deployment", "--etcd --min-duration 1ms"},
		{"create-deployment", "--grep deployments/default/nginx"},
		{"create-deployment", "--view outline --layer admission,validation"},
		{"get-not-found", ""},
		{"get-not-found", "--color always"},
		{"get-not-found", "--view outline"},
		{"get-not-found", "--errors"},
		{"create-invalid", ""},
		{"create-invalid", "--ascii"},
		{"create-invalid", "--view outline --color always"},
	} {
		t.Run(test.recording+" "+test.flags, func(t *testing.T) {
			got := strings.ReplaceAll(show(t, test.recording, strings.Fields(test.flags)...), "\x1b", "␛")
			name := strings.NewReplacer(" --", ".", " ", "-", "/", "_").Replace(" " + test.flags)
			file := filepath.Join("testdata", "views", strings.TrimSuffix(test.recording+strings.TrimSuffix(name, "-"), ".")+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("%v (go test ./cmd/apitrace -update writes it)", err)
			}
			if got != string(want) {
				t.Errorf("%s differs from the view (go test ./cmd/apitrace -update updates it); got:\n%s", file, got)
			}
		})
	}
}

// stories are the texts that the default view of a recording must contain, in order.
var stories = map[string][]string{
	"get-node": {
		"GET /api/v1/nodes/n1 → 200",
		"the path means: get nodes n1", "APIServerHandler).ServeHTTP", "WithRequestInfo.func1", "NewRequestInfo", "withAuthentication.func1",
		"the caller is learner, accepted by", "flow schema global-default sends it to priority level", "priorityAndFairnessHandler).Handle", "startRequest",
		"RBAC allows it by ClusterRoleBinding", "withAuthorization.func1", "user=learn",
		"decision=Allow", "authorizingVisitor).visit", "allowed=true  verbs=get  resources=nodes",
		"director.ServeHTTP", "server=kube-aggregator", "proxyHandler).ServeHTTP", "director.ServeHTTP", "Container).Dispatch", "SelectRoute",
		"restfulGetResource.func1", "getResourceHandler.func1", "NegotiateOutputMediaType",
		"registry.(*Store).Get", "CacheDelegator).Get", "etcd answers, not the watch cache: key /registry/minions/n1", "etcd3.(*store).Get", "kubernetes.Client.Get",
		"etcd works on it in its own process", "v3rpc.(*kvServer).Range", "etcdserver.(*EtcdServer).Range", "rangeKeys", "defaultDecoder).Decode",
		"codec).Decode", "protobuf.(*Serializer).Decode", "Scheme).Default", "Scheme).Convert", "transformResponseObject", "json.(*Serializer).Encode",
	},
	"create-deployment": {
		"POST /apis/apps/v1/namespaces/default/deployments → 201",
		"the path means: create deployments of group apps", "NewRequestInfo", "withAuthentication.func1", "the caller is learner", "startRequest",
		"RBAC allows it by RoleBinding", "withAuthorization.func1", "decision=Allow", "director.ServeHTTP", "proxyHandler).ServeHTTP", "SelectRoute",
		"restfulCreateResource.func1", "createHandler.func1", "NegotiateOutputMediaType", "NegotiateInputSerializer",
		"FieldManager).UpdateNoErrors", "transformResponseObject",
		"codec).Decode", "json.(*Serializer).Decode", "Scheme).Default", "Scheme).Convert",
		"13 plugins that may mutate", "Admit", "admission plugin ×20", "registry.(*Store).Create", "BeforeCreate", "PrepareForCreate",
		"ValidateCreate", "WarningsOnCreate", "ValidateDeployment", "10 plugins that may validate", "pluginHandlerWithMetrics.Validate",
		"CacheDelegator).Create", "etcd stores it: key /registry/deployments/default/nginx", "etcd3.(*store).Create", "OptimisticPut",
		"v3rpc.(*kvServer).Txn", "processInternalRaftRequestOnce", "rangeKeys", "storeTxnWrite).put",
		"takes up the event of the write", "watchChan).transform", "takes up the event of the write", "watchCache).processEvent",
		"PUT /registry/deployments/default/nginx",
	},
	"get-not-found": {
		"GET /api/v1/nodes/missing → 404",
		"error born in etcd3.(*store).Get: StorageError: key not found", "turned in", `nodes "missing" not found`, "Status NotFound",
		"withAuthorization.func1", "restfulGetResource.func1", "registry.(*Store).Get", "InterpretGetError", "✗ turned into another error",
		"etcd3.(*store).Get", "✗ error born", "v3rpc.(*kvServer).Range", "RequestScope).err", "ErrorToAPIStatus", "✗ becomes a Status",
	},
	"create-invalid": {
		"POST /apis/apps/v1/namespaces/default/deployments → 422",
		"error born in", "spec.template.metadata.labels", "wrapped in rest.BeforeCreate", `"nginx" is invalid`, "Status Invalid",
		"admission plugin ×20", "registry.(*Store).Create", "BeforeCreate", "✗ wrapped", "ValidateDeployment", "✗ error born",
		"RequestScope).err", "ErrorToAPIStatus", "✗ becomes a Status",
	},
}

// TestPathTellsTheStory checks that the default view has the texts of stories.
func TestPathTellsTheStory(t *testing.T) {
	for _, recording := range saved {
		rest := show(t, recording)
		for _, part := range stories[recording] {
			_, behind, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%s: expected %q, in the order of stories, in the rest of the view:\n%s", recording, part, rest)
				break
			}
			rest = behind
		}
	}
}

// TestViewsKeepToTheirColumns checks that the outline has ten to fifteen sentences, that
// no line is wider than 80 columns, and that colour does not change the text.
func TestViewsKeepToTheirColumns(t *testing.T) {
	for _, recording := range saved {
		for _, flags := range [][]string{nil, {"--ascii"}, {"--lang", "zh"}, {"--view", "outline"}, {"--view", "outline", "--lang", "zh"}} {
			plain := show(t, recording, flags...)
			if coloured := show(t, recording, append([]string{"--color", "always"}, flags...)...); ansi.Strip(coloured) != plain {
				t.Errorf("%s %v: with colour the text differs from the text without:\n%s", recording, flags, ansi.Strip(coloured))
			}
			for line := range strings.Lines(plain) {
				if width := lipgloss.Width(strings.TrimSuffix(line, "\n")); width > 80 {
					t.Errorf("%s %v: %d columns, expected at most 80: %s", recording, flags, width, line)
				}
			}
			if slices.Contains(flags, "outline") {
				checkSentences(t, plain)
			}
		}
	}
}

func checkSentences(t *testing.T, outline string) {
	t.Helper()
	if n := len(regexp.MustCompile(`(?m)^ ?\d+  `).FindAllString(outline, -1)); n < 10 || n > 15 {
		t.Errorf("%d sentences, expected 10 to 15:\n%s", n, outline)
	}
}

// TestNamesRespectFilters checks that -o names with filters prints only the selected
// calls.
func TestNamesRespectFilters(t *testing.T) {
	one, notice := showNoticed(t, "get-node", "-o", "names", "--function", "etcd3.(*store).Get")
	if want := "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get\n"; !strings.HasSuffix(one, "-> 200\n"+want) || strings.Contains(notice, "always complete") {
		t.Errorf("one function: got the notice %q and\n%s\nexpected only %s", notice, one, want)
	}
	all := show(t, "get-node", "-o", "names")
	etcd := show(t, "get-node", "-o", "names", "--layer", "etcd")
	for line := range strings.Lines(etcd) {
		if line = strings.TrimSpace(line); !strings.Contains(all, line) || !strings.HasPrefix(line, "#") && !strings.Contains(line, "etcd") {
			t.Errorf("--layer etcd prints %q, expected a call in etcd", line)
		}
	}
	if !strings.Contains(etcd, "v3rpc.(*kvServer).Range") || strings.Contains(etcd, "etcd3.") {
		t.Errorf("--layer etcd prints\n%s\nexpected kvServer.Range, and no call in kube-apiserver", etcd)
	}
	if short := show(t, "get-node", "-o", "names", "--depth", "2"); strings.Contains(short, "\n    ") || !strings.HasPrefix(all, strings.Join(strings.SplitAfter(short, "\n")[:3], "")) {
		t.Errorf("--depth 2 prints\n%s\nexpected the first two levels", short)
	}
}

// TestFiltersDoNotTouchData checks that JSON and YAML are complete even with a filter,
// and that a notice says so.
func TestFiltersDoNotTouchData(t *testing.T) {
	for _, format := range []string{"yaml", "json"} {
		filtered, notice := showNoticed(t, "get-node", "-o", format, "--layer", "etcd3", "--errors", "--depth", "1")
		if filtered != show(t, "get-node", "-o", format) {
			t.Errorf("-o %s prints another text with a filter than without", format)
		}
		if !strings.Contains(notice, "always complete") {
			t.Errorf("-o %s with a filter: got the notice %q, expected \"always complete\"", format, notice)
		}
	}
}

// TestFunctionFilterTakesShortNames checks that --function accepts a name as the tree
// prints it.
func TestFunctionFilterTakesShortNames(t *testing.T) {
	short, full := show(t, "get-node", "--function", "etcd3.(*store).Get"), show(t, "get-node", "--function", "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get")
	if short != full || !strings.Contains(short, "etcd3.(*store).Get") {
		t.Errorf("expected the same call twice; by its short name:\n%s\nby its full name:\n%s", short, full)
	}
}

// TestNormalErrorsDoNotShout checks that an error is not shown as a failure if a
// successful request handles it. Its text is only in the full view.
func TestNormalErrorsDoNotShout(t *testing.T) {
	for _, recording := range []string{"get-node", "create-deployment"} {
		if path := show(t, recording); strings.Contains(path, "error: ") || strings.Contains(path, "✗") {
			t.Errorf("%s: the default view shows an error that the request handled:\n%s", recording, path)
		}
		if full := show(t, recording, "--full"); !strings.Contains(full, "error: invalid bearer token") {
			t.Errorf("%s: the full view lacks the error of the authenticator that did not know the token", recording)
		}
	}
}
