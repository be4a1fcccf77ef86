package apiserver

import (
	"errors"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestMissingGeneratedFiles checks that the error names a missing generated file and the
// command that makes it. The compiler only reports that the file's declarations are
// undefined. A comment in the package says which file is generated.
func TestMissingGeneratedFiles(t *testing.T) {
	for _, test := range []struct{ marker, file, command string }{
		{"+k8s:deepcopy-gen=package", "zz_generated.deepcopy.go", "hack/update-codegen.sh deepcopy"},
		{"+k8s:defaulter-gen=TypeMeta", "zz_generated.defaults.go", "hack/update-codegen.sh defaults"},
		{"+k8s:conversion-gen=k8s.io/kubernetes/pkg/apis/x", "zz_generated.conversion.go", "hack/update-codegen.sh conversions"},
		{"+k8s:validation-gen=TypeMeta", "zz_generated.validations.go", "hack/update-codegen.sh validation"},
	} {
		for _, folder := range []string{"pkg/apis/x/v1", "staging/src/k8s.io/api/x/v1"} {
			doc := "// " + test.marker + "\n\npackage v1\n"
			importPath := strings.TrimPrefix(strings.Replace(folder, "pkg/", "k8s.io/kubernetes/pkg/", 1), "staging/src/")
			compile := &program.CompileError{Complaints: []string{"# " + importPath, "vendor/" + importPath + "/register.go:3:4: undefined: Own"}}
			explain := func(files map[string]string) error {
				up := program.Upstream{Local: &program.LocalBuild{
					Name: "./kubernetes", Dir: writeModule(t, files),
					Folders: map[string]string{"k8s.io/kubernetes": ".", "k8s.io/api": "staging/src/k8s.io/api"},
				}}
				return explainCheckout(message.Errorf("building: %w", compile), up)
			}
			err := explain(map[string]string{folder + "/doc.go": doc})
			want := "./kubernetes does not compile:\n\t" + folder + "/register.go:3: undefined: Own\ngenerated source is missing: " + folder + "/" + test.file + `; in the checkout, "` + test.command + `" makes it`
			if err.Error() != want {
				t.Errorf("%s:\n%v\nexpected\n%s", test.marker, err, want)
			}
			if !errors.Is(err, compile) {
				t.Errorf("%s: errors.Is does not find the compiler's error", test.marker)
			}
			for name, files := range map[string]map[string]string{
				"with the file":          {folder + "/doc.go": doc, folder + "/" + test.file: "package v1\n"},
				"without the marker":     {folder + "/doc.go": "package v1\n"},
				"with the marker =false": {folder + "/doc.go": "// " + test.marker[:strings.Index(test.marker, "=")+1] + "false\n\npackage v1\n"},
			} {
				if err := explain(files); strings.Contains(err.Error(), "generated") {
					t.Errorf("%s, a package %s: expected no generated file in the error:\n%v", test.marker, name, err)
				}
			}
		}
	}
}

// TestSeveralMissingGeneratedFiles checks that the error names each missing file, and each
// command once.
func TestSeveralMissingGeneratedFiles(t *testing.T) {
	dir := writeModule(t, map[string]string{
		"pkg/a/doc.go": "// +k8s:deepcopy-gen=package\npackage a\n",
		"pkg/b/doc.go": "// +k8s:deepcopy-gen=package\n// +k8s:defaulter-gen=TypeMeta\npackage b\n", "pkg/b/zz_generated.deepcopy.go": "package b\n",
		"pkg/c/doc.go": "// +k8s:deepcopy-gen=package\npackage c\n",
	})
	e := &checkoutError{name: "./kubernetes", complaints: []string{"x.go:1: no"}}
	e.addGenerated(dir, []string{"pkg/c", "pkg/a", "pkg/b", "pkg/a"})
	want := `generated source is missing: pkg/a/zz_generated.deepcopy.go, pkg/b/zz_generated.defaults.go, pkg/c/zz_generated.deepcopy.go; in the checkout, "hack/update-codegen.sh deepcopy && hack/update-codegen.sh defaults" makes it`
	if !strings.HasSuffix(e.Error(), want) {
		t.Errorf("%v\nexpected\n%s", e, want)
	}
	if zh := e.Localize(message.For("zh")); strings.Contains(zh, "generated source") || !strings.Contains(zh, "hack/update-codegen.sh defaults") {
		t.Errorf("in Chinese: %s\nexpected a Chinese sentence with both commands", zh)
	}
}
