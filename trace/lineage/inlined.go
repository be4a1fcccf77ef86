package lineage

// inlined lists removed functions that left too little text for a comparison
// of releases to find. A person found their successors in the sources of two
// releases: the first release without the function, and the release before it.
var inlined = []struct {
	from, release string
	// calls are functions that the function from called. The functions in to call them
	// now. If calls is empty, the callers of from now call the functions in to.
	calls, to []string
}{
	{
		"k8s.io/kubernetes/cmd/kube-apiserver/app.CreateKubeAPIServer", "v1.28.15",
		[]string{"k8s.io/kubernetes/pkg/controlplane.(*Config).Complete", "k8s.io/kubernetes/pkg/controlplane.completedConfig.New"},
		[]string{"k8s.io/kubernetes/cmd/kube-apiserver/app.(*Config).Complete", "k8s.io/kubernetes/cmd/kube-apiserver/app.CreateServerChain"},
	},
	{
		"k8s.io/kubernetes/cmd/kube-apiserver/app.createAPIExtensionsServer", "v1.28.15",
		[]string{"k8s.io/apiextensions-apiserver/pkg/apiserver.(*Config).Complete", "k8s.io/apiextensions-apiserver/pkg/apiserver.completedConfig.New"},
		[]string{"k8s.io/kubernetes/cmd/kube-apiserver/app.(*Config).Complete", "k8s.io/kubernetes/cmd/kube-apiserver/app.CreateServerChain"},
	},
	{
		"k8s.io/apiserver/pkg/endpoints/handlers.finishRequest", "v1.22.17",
		nil,
		[]string{"k8s.io/apiserver/pkg/endpoints/handlers/finisher.FinishRequest"},
	},
	{
		"k8s.io/kubernetes/pkg/controlplane.(*Instance).InstallLegacyAPI", "v1.28.15",
		[]string{"k8s.io/apiserver/pkg/server.(*GenericAPIServer).AddPostStartHookOrDie", "k8s.io/apiserver/pkg/server.(*GenericAPIServer).InstallLegacyAPIGroup"},
		[]string{"k8s.io/kubernetes/pkg/controlplane.completedConfig.New", "k8s.io/kubernetes/pkg/controlplane.(*Instance).InstallAPIs"},
	},
}

// inline sets the fate of the functions in inlined.
func (l *Library) inline() {
	for _, in := range inlined {
		for i := range l.Changes {
			if c := &l.Changes[i]; c.Kind == Function && c.From == in.from && c.Fate == Gone && l.Releases[c.At] == in.release {
				c.Fate, c.Called, c.To = Inlined, in.calls, in.to
			}
		}
	}
}
