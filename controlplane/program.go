// Package controlplane builds and runs the programs that make a cluster of a
// kube-apiserver: kube-controller-manager, kube-scheduler and one kubelet.
//
// The programs are upstream's, of the release of the kube-apiserver. The kubelet runs in
// upstream's hollow node, with a fake container runtime: its pods have no processes.
// Building programs in general belongs in instrument/traced.
package controlplane

import (
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/trace"
)

// The names of the programs in traces.
const (
	controllerManager = trace.ProcessControllerManager
	scheduler         = trace.ProcessScheduler
	kubelet           = trace.ProcessKubelet
)

// supported holds the releases whose programs can be built and run.
var supported = release.Range{Since: "v1.30"}

// Programs lists the programs, in the order in which they are built.
func Programs() []traced.Program {
	return []traced.Program{
		component(controllerManager, "cmd/kube-controller-manager/controller-manager.go"),
		component(scheduler, "cmd/kube-scheduler/scheduler.go"),
		component(kubelet, "cmd/kubemark/hollow-node.go"),
	}
}

// AllPrograms lists apiserver.Programs, then Programs.
func AllPrograms() []traced.Program { return slices.Concat(apiserver.Programs(), Programs()) }

// component describes a program by the file with its func main.
func component(name, main string) traced.Program {
	return traced.Program{
		Name: name,
		ForVersion: func(k8s string, _ func() (program.Upstream, error)) (program.Program, error) {
			p := apiserver.Component(name, main, k8s)
			p.Space = 3e9
			if name == kubelet {
				p.Changes = hollowChanges(k8s)
			}
			return p, nil
		},
		Optional: true,
	}
}

// hollowChanges returns the changes of upstream's hollow node in a release. It has no
// flags for these settings.
func hollowChanges(version string) []program.Change {
	config := "k8s.io/kubernetes/pkg/kubemark/hollow_kubelet.go"
	endpoint := "k8s.io/cri-client/pkg/fake/endpoint.go"
	if (release.Range{Until: "v1.30"}).Has(version) {
		endpoint = "k8s.io/kubernetes/pkg/kubelet/cri/remote/fake/endpoint.go"
	}
	return []program.Change{
		// It would listen on all interfaces, and serve everybody.
		{File: config, Old: "c.EnableServer = true", New: "c.EnableServer = false"},
		// As root, it would change the machine's firewall.
		{File: config, Old: `c.CgroupRoot = ""`, New: `c.CgroupRoot = ""; c.MakeIPTablesUtilChains = false`},
		// Its root folder would be in /tmp, and nobody would remove it. The folder that it
		// runs in is removed with it. The name is short, because the kubelet has sockets there.
		{File: "k8s.io/kubernetes/test/utils/tmpdir.go", Old: `baseDir = "/tmp"`, New: `baseDir, _ = os.Getwd(); prefix = ""`},
		// The socket of its container runtime would be in /tmp, too.
		{File: endpoint, Old: "\t\"fmt\"\n", New: "\t\"fmt\"; \"os\"\n"},
		{File: endpoint, Old: "\"unix:///tmp/kubelet_remote_%v.sock\"", New: "\"unix://%v/%v.sock\""},
		{File: endpoint, Old: "\treturn fmt.Sprintf(defaultUnixEndpoint, rand.Int()), nil", New: "\tdir, err := os.Getwd(); return fmt.Sprintf(defaultUnixEndpoint, dir, rand.Intn(1e9)), err"},
	}
}
