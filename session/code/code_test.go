package code

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/storage"
)

// TestInReleaseOnly asks for a function whose package the program does not import: kube-apiserver v1.20 serves no insecure port, and
// the release still has the code for it (pkg/kubeapiserver/server/insecure_handler.go).
func TestInReleaseOnly(t *testing.T) {
	const pkg = "k8s.io/kubernetes/pkg/kubeapiserver/server"
	tree := treeOf(t, map[string]string{"k8s.io/kubernetes/pkg/kubeapiserver/doc.go": "package kubeapiserver\n\nfunc F() {}\n"})
	c := &Base{Version: "v1.20.15", trees: map[string]*source.Tree{apiserver.Name: tree, storage.Name: tree}}
	for name, want := range map[string]string{
		pkg + ".BuildInsecureHandlerChain":      "the source of Kubernetes v1.20.15 has it, in a package that kube-apiserver does not import",
		pkg + ".BuildHandler":                   "expected a name as the tree shows it",
		"k8s.io/kubernetes/pkg/kubeapiserver.G": "did you mean one of these?",
	} {
		_, _, err := c.function(t.Context(), name)
		if err == nil || !strings.Contains(err.Error(), `"`+name+`"`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected the name and %q", name, err, want)
		}
	}
}
