package apiserver

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// readOnly lists, oldest first, releases with source that can be read, but not built.
// v1.15 is not listed, because its modules from the Kubernetes repository are not available.
var readOnly = []string{
	"v1.10.13", "v1.11.10", "v1.12.10", "v1.13.12", "v1.14.10",
}

// Readable lists one release of each minor version with readable source, oldest first.
// It includes Releases and the releases that are not built.
func Readable() []string {
	all := slices.Concat(readOnly, releases)
	slices.SortFunc(all, semver.Compare)
	return all
}

// ReadOnly reports whether the source of a release can be read but not built.
// version is a valid version, such as "v1.14.10" or "v1.14".
func ReadOnly(version string) bool {
	return slices.ContainsFunc(readOnly, func(r string) bool { return semver.MajorMinor(r) == semver.MajorMinor(version) })
}

// ParseReadable is ParseVersion for a version that is only read.
// It also accepts the minor versions in readOnly and their patch releases.
func ParseReadable(s string) (string, error) {
	v := "v" + strings.TrimPrefix(s, "v")
	for _, known := range readOnly {
		if semver.IsValid(v) && semver.Build(v) == "" && semver.MajorMinor(known) == semver.MajorMinor(v) && strings.Contains(v, ".") {
			if semver.Canonical(v) != v {
				return known, nil
			}
			return v, nil
		}
	}
	version, err := ParseVersion(s)
	if err != nil && semver.IsValid(v) && strings.Contains(v, ".") {
		if isNewer(v) {
			return "", message.Errorf("the source of Kubernetes %s cannot be read: it is newer than the releases that this apitrace knows; expected one of %s", v, message.List(Readable()))
		}
		return "", message.Errorf("the source of Kubernetes %s cannot be read: expected one of %s", v, message.List(Readable()))
	}
	return version, err
}

// stagingModules are the modules from the Kubernetes repository that ReleasedSource reads. Up
// to v1.14, the module of Kubernetes contains their source.
var stagingModules = []string{
	"k8s.io/apiserver", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator", "k8s.io/apimachinery", "k8s.io/sample-apiserver", "k8s.io/component-base",
}

// optionalModule is a module of stagingModules that some releases lack.
const optionalModule = "k8s.io/sample-apiserver"

// Unread lists the modules that a folder of ReleasedSource lacks, because they do not exist
// for the release.
func Unread(dir string) []string {
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(optionalModule))); err != nil {
		return []string{optionalModule}
	}
	return nil
}

// readFolders has the folders that ReleasedSource reads. skippedFolders has folders below
// them that it skips, such as generated clients.
var (
	readFolders = []string{
		"k8s.io/kubernetes/cmd/kube-apiserver/", "k8s.io/kubernetes/pkg/controlplane/", "k8s.io/kubernetes/pkg/master/", "k8s.io/kubernetes/pkg/kubeapiserver/",
		"k8s.io/kubernetes/pkg/registry/", "k8s.io/kubernetes/pkg/apis/", "k8s.io/kubernetes/plugin/pkg/", "k8s.io/apiserver/pkg/", "k8s.io/apiserver/plugin/",
		"k8s.io/apiextensions-apiserver/pkg/", "k8s.io/kube-aggregator/pkg/", "k8s.io/apimachinery/pkg/", "k8s.io/sample-apiserver/", "k8s.io/component-base/",
	}
	skippedFolders = []string{"/testing/", "/testdata/", "/pkg/client/", "/pkg/generated/", "/pkg/openapi/", "/examples/", "/test/", "/vendor/"}
)

// ReleasedSource returns a folder with the unchanged source of a release of Readable.
// The folder has the packages of the traced servers and their libraries from the
// Kubernetes repository, each below its import path.
// It lacks modules from outside the repository, and the modules that Unread lists.
// ReleasedSource fetches the source if necessary.
func ReleasedSource(ctx context.Context, o BuildOptions) (dir string, err error) {
	version, cache := o.Version, o.Cache
	if cache == nil {
		if cache, err = program.OpenCache(""); err != nil {
			return "", err
		}
	}
	modules := []program.ReleasedModule{{Path: module, Version: version, Place: func(file string) string {
		if rest, ok := strings.CutPrefix(file, "staging/src/"); ok {
			return readPath(rest)
		}
		return readPath(module + "/" + file)
	}}}
	if semver.Compare(version, "v1.15") > 0 {
		for _, staging := range stagingModules {
			modules = append(modules, program.ReleasedModule{Path: staging, Version: stagingVersion(version), Optional: staging == optionalModule, Place: func(file string) string { return readPath(staging + "/" + file) }})
		}
	}
	p := program.Program{Name: Name + "-source", Module: module, Version: version}
	return program.ReleasedSource(ctx, p, program.Options{Cache: cache, Progress: o.Progress}, modules)
}

// readPath returns file if ReleasedSource reads it, else "".
func readPath(file string) string {
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
		!slices.ContainsFunc(readFolders, func(folder string) bool { return strings.HasPrefix(file, folder) }) ||
		slices.ContainsFunc(skippedFolders, func(folder string) bool { return strings.Contains(file, folder) }) {
		return ""
	}
	return file
}
