package apiserver

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
)

// TestStateFormatChangesWithState checks that stateFormat was changed together with the
// fields of a published state. So apitrace finds only states that it can read.
func TestStateFormatChangesWithState(t *testing.T) {
	fields := map[string][]string{
		".2.json": {
			"adminKubeconfig", "adminToken", "baseURL", "buildKey", "caPEM", "check", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
		".3.json": {
			"adminKubeconfig", "adminToken", "baseURL", "buildKey", "caPEM", "check", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "owner", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
		".4.json": {
			"adminKubeconfig", "adminToken", "aggregated,omitempty", "baseURL", "buildKey", "caPEM", "check", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "owner", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
		".5.json": {
			"adminKubeconfig", "adminToken", "aggregated,omitempty", "baseURL", "buildKey", "caPEM", "check", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "more,omitempty", "owner", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
		".6.json": {
			"adminKubeconfig", "adminToken", "aggregated,omitempty", "baseURL", "buildKey", "caPEM", "check", "cluster,omitempty", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "more,omitempty", "owner", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
		".7.json": {
			"adminKubeconfig", "adminToken", "aggregated,omitempty", "baseURL", "buildKey", "caPEM", "check", "cluster,omitempty", "clusterSockets,omitempty", "edited,omitempty", "etcd", "etcdVersion", "externalEtcd,omitempty",
			"k8sVersion", "learnerKubeconfig", "learnerToken", "more,omitempty", "owner", "playerTokens", "probeSockets", "proxyCAFile", "runDir", "sampleKubeconfig",
		},
	}
	var got []string
	for f := range reflect.TypeFor[Server]().Fields() {
		if tag, ok := f.Tag.Lookup("json"); ok {
			got = append(got, tag)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, fields[stateFormat]) {
		t.Errorf("the published state has the fields\n%q\nexpected in format %q\n%q\nraise the number in stateFormat, and add the fields to this test; it has the formats %q",
			got, stateFormat, fields[stateFormat], slices.Sorted(maps.Keys(fields)))
	}
}

func TestVariantOfOwnServer(t *testing.T) {
	variant := func(key string, flags []string) string {
		return StartOptions{Aggregated: &AggregatedOptions{Own: &OwnOptions{Key: key, Config: serverconfig.Own{Flags: flags}}}}.Variant()
	}
	if variant("a", nil) != variant("a", []string{}) {
		t.Error("no flags and an empty list of flags are two variants: a command would not find the server of \"apitrace serve\"")
	}
	for _, other := range []string{variant("b", nil), variant("a", []string{"--v=2"}), StartOptions{}.Variant()} {
		if other == variant("a", nil) {
			t.Errorf("another server has the same variant %q", other)
		}
	}
}

// TestVariantOfControlPlane checks that a run finds a server that "apitrace serve" started
// with an empty list of flags.
func TestVariantOfControlPlane(t *testing.T) {
	cluster := new(Cluster)
	served := StartOptions{Cluster: cluster, Extra: serverconfig.Extra{Flags: []string{}, Files: map[string]string{}}}
	if wanted := (StartOptions{Cluster: cluster}); wanted.Variant() != served.Variant() {
		t.Errorf("no flags have the variant %s, an empty list of flags %s; expected one variant", wanted.Variant(), served.Variant())
	}
}

func TestOpenAPIIndex(t *testing.T) {
	const v1, v2 = "mine.example.com/v1", "mine.example.com/v2"
	index := func(groupVersions ...string) openAPIIndex {
		i := openAPIIndex{map[string]any{"api/v1": map[string]any{}}}
		for _, v := range groupVersions {
			i.Paths["apis/"+v] = map[string]any{}
		}
		return i
	}
	for name, test := range map[string]struct {
		own, fetched openAPIIndex
		want         bool
	}{
		"none fetched":            {index(v1, v2), index(), false},
		"one fetched":             {index(v1, v2), index(v1), false},
		"all fetched":             {index(v1, v2), index(v1, v2), true},
		"not in the server's own": {index(v1), index(v1), true},
	} {
		if got := test.fetched.hasAll(test.own, []string{v1, v2}); got != test.want {
			t.Errorf("%s: hasAll returned %v, want %v", name, got, test.want)
		}
	}
	if index().hasAny([]string{v1}) || !index(v2).hasAny([]string{v1, v2}) {
		t.Error("hasAny does not report whether the index has one of the versions")
	}
}
