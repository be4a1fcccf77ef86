package apiserver

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TestWritePlanOfUnknown checks that a plan has all commands even with an empty cache. It
// says that the version of etcd is not known.
func TestWritePlanOfUnknown(t *testing.T) {
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	var out bytes.Buffer
	if err := WritePlan(t.Context(), &out, message.Printer{}, BuildOptions{Version: "v1.30.4", Cache: cache}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# VERSION stands for the version of go.etcd.io/etcd/client/v3 that k8s.io/kubernetes v1.30.4 requires",
		"mod download -json go.etcd.io/etcd/server/v3@VERSION\n",
		"mod download -json k8s.io/kubernetes@v1.30.4\n",
		"# rewrite vendored files to ",
		"-X '\\''k8s.io/component-base/version.gitVersion=v1.30.4'\\''",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, &out)
		}
	}
	entries, err := cache.Entries()
	if err != nil || len(entries) != 0 {
		t.Errorf("after planning, the cache has %+v (error %v), expected nothing", entries, err)
	}
}

// TestWritePlanWithoutGo checks that a plan without Go lists the builds, and says that their
// commands need Go.
func TestWritePlanWithoutGo(t *testing.T) {
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	var out bytes.Buffer
	if err := WritePlan(t.Context(), &out, message.Printer{}, BuildOptions{Version: "v1.30.4", Cache: cache}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# etcd VERSION, instrumented\n", "# kube-apiserver v1.30.4, instrumented\n", "kube-apiserver_v1.30.4_<key>/kube-apiserver\n", "# disk space needed: about ",
		"# the commands cannot be listed without Go: no Go toolchain: ", "https://go.dev/dl",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the plan lacks %q:\n%s", want, &out)
		}
	}
	for line := range strings.Lines(out.String()) {
		if line != "\n" && !strings.HasPrefix(line, "# ") {
			t.Errorf("the plan has a command, expected only comments: %s", line)
		}
	}
}
