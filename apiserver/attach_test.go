package apiserver

import (
	"maps"
	"reflect"
	"slices"
	"testing"
)

// A state that another apitrace has published is found by this one only if both read it alike.
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
	}
	var got []string
	for f := range reflect.TypeFor[Server]().Fields() {
		if tag, ok := f.Tag.Lookup("json"); ok {
			got = append(got, tag)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, fields[stateFormat]) {
		t.Errorf("the published state has the fields\n%q\nbut in format %q it has\n%q\nraise stateFormat, and note the fields here; known are %q",
			got, stateFormat, fields[stateFormat], slices.Sorted(maps.Keys(fields)))
	}
}
