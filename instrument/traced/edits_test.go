package traced

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
)

func TestExplainCompile(t *testing.T) {
	edits := []program.Edit{{Name: "k8s.io/apiserver/pkg/storage/etcd3/store.go", Path: "/mine/store.go"}}
	compile := &program.CompileError{Complaints: []string{
		"# k8s.io/apiserver/pkg/storage/etcd3",
		"vendor/k8s.io/apiserver/pkg/storage/etcd3/store.go:237:64: undefined: x",
		"../../builds/kube-apiserver_v1.37.1_2ab13abc25bd/overlay/k8s.io/apiserver/pkg/storage/etcd3/store.go:240:1: missing return",
		"vendor/k8s.io/apiserver/pkg/storage/etcd3/watcher.go:9:2: missing return",
	}, Err: errors.New("exit status 1")}

	err := explainCompile(compile, edits)
	for _, want := range []string{"/mine/store.go:237: undefined: x", "/mine/store.go:240: missing return", "k8s.io/apiserver/pkg/storage/etcd3/watcher.go:9: missing return", "--revert"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "# k8s.io") {
		t.Errorf("%v\nhas a heading of the compiler, expected only messages", err)
	}
	if !errors.As(err, new(*program.CompileError)) {
		t.Error("the error does not wrap the CompileError")
	}
	if err := explainCompile(compile, nil); err != error(compile) {
		t.Errorf("without edits, explainCompile returned %v, expected its argument", err)
	}
}

// TestExplainSyntaxError explains the error of a file that cannot be parsed. The rewriter
// returns this error before the compiler runs.
func TestExplainSyntaxError(t *testing.T) {
	edits := []program.Edit{{Name: "k8s.io/apiserver/pkg/storage/etcd3/store.go", Path: "/mine/store.go"}}
	_, syntax := parser.ParseFile(token.NewFileSet(), edits[0].Path, "package etcd3\n\nfunc f( {\n}\n", 0)
	err := explainCompile(fmt.Errorf("rewriting kube-apiserver v1.37.1: %w", syntax), edits)
	for _, want := range []string{"your change does not compile", "/mine/store.go:3:9: ", "--revert"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}
