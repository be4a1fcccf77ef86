package instrument

import (
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

// TestNotesOfOtherReleasesAreLeftOut checks that a reader has only the guide's entries
// for the recorded releases. For example, the second literal of WithPriorityAndFairness
// was the filter itself up to v1.27. Since then, it is another function.
func TestNotesOfOtherReleasesAreLeftOut(t *testing.T) {
	guide, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	const literal, ofEtcd = "k8s.io/apiserver/pkg/server/filters.WithPriorityAndFairness.func2", "go.etcd.io/etcd/server/v3/etcdserver/txn.Txn"
	const ofOldEtcd = "go.etcd.io/etcd/etcdserver/api/v3rpc.(*kvServer).Range" // before etcd's server became a separate module
	older := &trace.Recording{K8sVersion: "v1.27.4", EtcdVersion: "v3.5.7"}
	newer := &trace.Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0"}
	for _, test := range []struct {
		function string
		of       []*trace.Recording
		want     bool
	}{
		{literal, []*trace.Recording{older}, true},
		{literal, []*trace.Recording{newer}, false},
		{literal, []*trace.Recording{newer, older}, true},
		{literal, nil, true},
		{literal, []*trace.Recording{{}}, true}, // an imported recording, without a known release
		{ofEtcd, []*trace.Recording{older}, false},
		{ofEtcd, []*trace.Recording{newer}, true},
		{ofOldEtcd, []*trace.Recording{newer}, false},
		{ofOldEtcd, []*trace.Recording{{K8sVersion: "v1.18.2", EtcdVersion: "v3.4.3"}}, true},
		{"go.etcd.io/etcd/client/pkg/v3/fileutil.Fdatasync", []*trace.Recording{newer}, true}, // runs in etcd, although its path has "client"
		{"go.etcd.io/etcd/pkg/fileutil.Fdatasync", []*trace.Recording{newer}, false},
		{"go.etcd.io/etcd/wal.(*WAL).Save", []*trace.Recording{newer}, false},
		{"go.etcd.io/etcd/client/v3/kubernetes.Client.Get", []*trace.Recording{newer}, true}, // runs in kube-apiserver
		{"go.etcd.io/etcd/client/v3/kubernetes.Client.Get", []*trace.Recording{older}, false},
	} {
		reader := guide.ForReader("en", test.of...)
		if key, note := reader.Key(test.function), reader.Note(test.function) != ""; key != test.want || note != test.want {
			t.Errorf("%s of %v: key step %v, with a note %v, expected %v", test.function, test.of, key, note, test.want)
		}
	}
}

func TestGroupsAreNamedInBothLanguages(t *testing.T) {
	guide, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range guide.Steps {
		if _, ok := groups[step.Group]; step.Group != "" && !ok {
			t.Errorf("the group %q has no name in Chinese: add it to groups and to the catalogue", step.Group)
		}
	}
	const plugin = "k8s.io/apiserver/pkg/admission/metrics.pluginHandlerWithMetrics.Admit"
	if en, zh := guide.ForReader("en").Group(plugin), guide.ForReader("zh").Group(plugin); en != "admission plugin" || zh != "准入插件" {
		t.Errorf("the group is named %q and %q, expected \"admission plugin\" and 准入插件", en, zh)
	}
}
