package trace

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recordings returns the recordings of testdata by file name.
func recordings(t testing.TB) map[string]*Recording {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in testdata (%v)", err)
	}
	all := map[string]*Recording{}
	for _, file := range files {
		rec, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = rec
	}
	return all
}

func load(t testing.TB, name string) *Recording {
	t.Helper()
	rec, err := Load(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// checkGolden compares got with a golden file.
func checkGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew); got:\n%s", file, got)
	}
}

func TestNames(t *testing.T) {
	for file, rec := range recordings(t) {
		var out strings.Builder
		if err := WriteNames(&out, rec); err != nil {
			t.Fatal(err)
		}
		checkGolden(t, strings.TrimSuffix(file, ".json")+".names", out.String())
	}
}

func TestShortName(t *testing.T) {
	for function, want := range map[string]string{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get":                 "etcd3.(*store).Get",
		"github.com/emicklei/go-restful/v3.(*Container).dispatch":         "go-restful/v3.(*Container).dispatch",
		"k8s.io/kubernetes/pkg/apis/apps/v1.SetObjectDefaults_Deployment": "apps/v1.SetObjectDefaults_Deployment",
		"k8s.io/api/apps/v1beta2.f":                                       "apps/v1beta2.f",
		"k8s.io/a/generic.(*Source[...]).get":                             "generic.(*Source[...]).get",
		"k8s.io/a/b.F[k8s.io/c/d.T]":                                      "b.F[k8s.io/c/d.T]",
		"main.main.func1.2":                                               "main.main.func1.2",
		"v1.F":                                                            "v1.F",
	} {
		if got := (&Call{Function: function}).ShortName(); got != want {
			t.Errorf("ShortName of %q = %q, expected %q", function, got, want)
		}
	}
}
