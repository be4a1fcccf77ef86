package e2e

import (
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/storage"
)

// TestNightlyGuideKnowsOtherReleases rewrites kube-apiserver and etcd of other releases.
// Rewrite returns an error if the guide names a function for a release and the release
// lacks it. The test downloads the sources and builds nothing.
func TestNightlyGuideKnowsOtherReleases(t *testing.T) {
	testenv.Nightly(t)
	testenv.NeedsServer(t)
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range apiserver.Releases() {
		if version == apiserver.DefaultVersion {
			continue // the other tests build this release
		}
		t.Run(version, func(t *testing.T) {
			for _, name := range []string{apiserver.Name, storage.Name} {
				source, err := apiserver.SourceOf(t.Context(), name, apiserver.BuildOptions{Version: version, Cache: cache})
				if err != nil {
					t.Fatal(err)
				}
				_, err = instrument.Rewrite(instrument.Options{
					Guide: guide, Program: name, Version: source.Version, Vendor: source.Dir, Out: t.TempDir(),
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}
