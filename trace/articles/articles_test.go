package articles

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// TestEveryStep looks up every step of every chain in the chain's nearest release
// and in the newest. Each step must have run, or the output must say why it did
// not. If it ran, the scenario in the output must call it.
func TestEveryStep(t *testing.T) {
	all, err := known()
	if err != nil {
		t.Fatal(err)
	}
	last, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	releases := map[string]*release{}
	steps, seen := 0, 0
	for _, a := range all {
		for _, c := range a.Chains {
			for _, version := range []string{c.Nearest, last} {
				if releases[version] == nil {
					if releases[version], err = open(version, last); err != nil {
						t.Fatal(err)
					}
				}
				r := releases[version]
				for i := range c.Steps {
					s := &c.Steps[i]
					at := r.lookUp(s)
					steps++
					switch {
					case at.state == ran:
						seen++
						if f := r.called[at.name]; f == nil || !slices.Contains(f.Scenarios, at.scenario) {
							t.Errorf("article %s: %s: the scenario %s does not call %s", a.Name, s.Text, at.scenario, at.name)
						}
					case s.Function == "" && s.Note.En == "" && s.Wrong.En == "":
						t.Errorf("article %s: %s has neither a function nor a note nor an error", a.Name, s.Text)
					case s.Function != "" && !explained(s, r):
						t.Errorf("article %s: %s did not run in %s, and the output does not say why", a.Name, s.Text, version)
					case s.Function != "" && at.state == missing && s.end(r).IsZero():
						t.Errorf("article %s: %s: %s is not in %s, and no release is known to have it", a.Name, s.Text, s.Function, version)
					}
					if s.Really != "" && r.lookUp(&step{Function: s.Really}).state != ran {
						t.Errorf("article %s: %s: the correct function %s did not run in %s", a.Name, s.Text, s.Really, version)
					}
				}
			}
		}
	}
	t.Logf("%d of %d steps ran", seen, steps)
	if len(all) != 6 || steps < 2*270 || seen < 400 {
		t.Errorf("got %d articles, %d steps in two releases, and %d steps that ran, expected 6, and at least 540 and 400", len(all), steps, seen)
	}
}

// explained reports whether the output of a step says anything about a release.
func explained(s *step, r *release) bool {
	for _, said := range s.sentences(r, r) {
		if text := said.String(); strings.HasPrefix(text, r.version+": ") || strings.HasPrefix(text, "neither ") {
			return true
		}
	}
	return false
}

// TestOrderOfACreation checks the claims in the articles' errors about a POST of a Deployment:
// which functions run, and in which order.
func TestOrderOfACreation(t *testing.T) {
	last, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1.30.4", last} {
		rec, err := recordings.Load(version, "create-deployment")
		if err != nil {
			t.Fatal(err)
		}
		calls, at := rec.Requests[0].Calls, 0
		for _, want := range []string{
			"handlers.createHandler.func1", "versioning.(*codec).Decode", "internal.(*FieldManager).UpdateNoErrors", "(*managedFieldsValidatingAdmissionController).Admit",
			"handlers.(*namedCreaterAdapter).Create", "deployment.deploymentStrategy.PrepareForCreate", "deployment.deploymentStrategy.Validate", "rest.AdmissionToValidateObjectFunc.func2",
			"registry.(*DryRunnableStorage).Create", "etcd3.(*store).Create",
		} {
			for at < len(calls) && !strings.HasSuffix(calls[at].Function, want) {
				at++
			}
			if at == len(calls) {
				t.Errorf("%s: %s does not run after the functions before it in the list", version, want)
				break
			}
		}
		for _, c := range calls {
			if strings.Contains(c.Function, "CreateNamedResource") {
				t.Errorf("%s: the POST of a Deployment calls %s, expected no call of CreateNamedResource", version, c.Function)
			}
		}
	}
}

// TestOrderOfAPod checks the claims in article F's errors about the second half of its way:
// which functions of a control loop run, in which order, and which do not run.
func TestOrderOfAPod(t *testing.T) {
	last, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	admission := map[string][]string{
		"v1.30.4": {"kubelet.(*Kubelet).SyncPod", "kubelet.getPhase", "kubelet.(*activeDeadlineHandler).ShouldEvict", "lifecycle.(*appArmorAdmitHandler).Admit"},
		last:      {"lifecycle.(*appArmorAdmitHandler).Admit", "kubelet.(*Kubelet).SyncPod", "kubelet.getPhase", "kubelet.(*activeDeadlineHandler).ShouldEvict"},
	}
	for version, kubelet := range admission {
		rec, err := recordings.Load(version, "deployment-to-pod")
		if err != nil {
			t.Fatal(err)
		}
		for _, loop := range []struct{ order, absent []string }{
			{
				[]string{
					"deployment.(*DeploymentController).addDeployment", "deployment.(*DeploymentController).getReplicaSetsForDeployment",
					"deployment.(*DeploymentController).getNewReplicaSet", "deployment.(*DeploymentController).syncRolloutStatus",
				},
				[]string{"deployment.(*DeploymentController).scale", "deployment.(*DeploymentController).sync"},
			},
			{[]string{"pkg/scheduler.(*Scheduler).schedulePod", "pkg/scheduler.(*Scheduler).bind", "defaultbinder.DefaultBinder.Bind"}, []string{"pkg/scheduler.prioritizeNodes"}},
			{
				slices.Concat([]string{"kubelet.(*Kubelet).HandlePodAdditions"}, kubelet, []string{
					"kubelet.(*Kubelet).makePodDataDirs", "(*volumeManager).WaitForAttachAndMount", "kubelet.(*Kubelet).getPullSecretsForPod",
					"(*kubeGenericRuntimeManager).createPodSandbox", "kubelet.(*Kubelet).GetPodDNS", "(*remoteRuntimeService).RunPodSandbox",
					"(*imageManager).EnsureImageExists", "(*remoteRuntimeService).CreateContainer",
					"(*internalContainerLifecycleImpl).PreStartContainer", "(*remoteRuntimeService).StartContainer",
				}), nil,
			},
		} {
			calls := eventWith(rec, loop.order[0])
			at := 0
			for _, want := range loop.order {
				for at < len(calls) && !strings.HasSuffix(calls[at].Function, want) {
					at++
				}
				if at == len(calls) {
					t.Errorf("%s: %s does not run after the functions before it in the list", version, want)
					break
				}
			}
			for _, absent := range loop.absent {
				if slices.ContainsFunc(calls, func(c trace.Call) bool { return strings.HasSuffix(c.Function, absent) }) {
					t.Errorf("%s: %s runs, expected no call of it", version, absent)
				}
			}
		}
	}
}

// eventWith returns the calls of the first event or request that calls a function with this
// end of its name.
func eventWith(rec *trace.Recording, suffix string) []trace.Call {
	for i := range rec.Requests {
		calls := rec.Requests[i].Calls
		if slices.ContainsFunc(calls, func(c trace.Call) bool { return strings.HasSuffix(c.Function, suffix) }) {
			return calls
		}
	}
	return nil
}

// TestAdmissionBeforeTheFinisher checks a claim about article C. Up to v1.17, the
// mutating admission runs before finishRequest. Since v1.18, it runs below it.
func TestAdmissionBeforeTheFinisher(t *testing.T) {
	for version, before := range map[string]bool{"v1.17.17": true, "v1.18.2": false} {
		rec, err := recordings.Load(version, "create-deployment")
		if err != nil {
			t.Fatal(err)
		}
		at := func(name string) int {
			return slices.IndexFunc(rec.Requests[0].Calls, func(c trace.Call) bool { return strings.HasSuffix(c.Function, name) })
		}
		admit, finish := at("/admission.chainAdmissionHandler.Admit"), at("/handlers.finishRequest")
		if admit < 0 || finish < 0 || (admit < finish) != before {
			t.Errorf("%s: the mutating admission is call %d and finishRequest is call %d, expected the opposite order", version, admit, finish)
		}
	}
}

func TestNearest(t *testing.T) {
	for written, want := range map[string]string{"v1.10, v1.11": "v1.20.15", "v1.18 - v1.20": "v1.20.15", "v1.25": "v1.24.17", "v1.30.4": "v1.30.4"} {
		if got, err := nearest(written, []string{"v1.20.15", "v1.24.17", "v1.30.4"}); got != want || err != nil {
			t.Errorf("nearest(%q) = %s, %v, expected %s", written, got, err, want)
		}
	}
	if got, err := nearest("long ago", []string{"v1.20.15"}); err == nil {
		t.Errorf("nearest of a text without a release = %s, expected an error", got)
	}
}

func TestWrite(t *testing.T) {
	recorded, err := recordings.Names()
	if err != nil {
		t.Fatal(err)
	}
	oldest := recorded[0]
	for name, want := range map[string][]string{
		"":  {"A How kube-apiserver registers its handlers", "the nearest recorded release is " + oldest},
		"B": {"1 create a container", "apitrace source 'registry.(*Store).Get' --k8s v1.11", "apitrace show get-node --k8s v1.37.1 --function 'registry.(*Store).Get'"},
		"a": {"apitrace show get-deployment --k8s v1.37.1 --function 'registry.(*Store).Get'", "registry.Store is a type", "the article is wrong: This is not the path of a Deployment", "apitrace show boot --k8s v1.37.1 --function 'endpoints.restfulGetResource'"},
		"C": {"app.CreateNodeDialer is in the sources from v1.10.13 to v1.21.14", "look at its callers: app.CreateServerChain", "apitrace show boot --k8s " + oldest + " --function 'app.CreateKubeAPIServer'", "v1.28.15: app.CreateKubeAPIServer is gone", "master.(*Master).InstallLegacyAPI is in the sources from v1.10.13 to v1.19.16, then controlplane.(*Instance).InstallLegacyAPI from v1.20.15 to v1.27.4; v1.28.15: ", "--function 'secret/storage.NewREST'"},
		"c": {
			"v1.16.15: registry/rest.Exporter is a type v1.37.1: not there", "apitrace source 'registry/rest.Exporter' --k8s v1.16.15", "now call finisher.FinishRequest",
			"--function 'apiextensions-apiserver/pkg/apiserver.completedConfig.New'", "then apiserver.CreateAPIExtensionsConfig from", "--k8s v1.16.15 --function 'admission.chainAdmissionHandler.Admit'",
		},
		"d": {"--function 'server.emptyDelegate.PrepareRun'", "server.preparedGenericAPIServer.RunWithContext ran in boot-sample", "apitrace show boot-sample --k8s v1.37.1 --function 'server.completedConfig.New'"},
		"D": {"It is about the sample API server."},
		"E": {"A recording shows: decoding with conversion, mutating admission, strategy, validating admission, storage.", "A DELETE goes to rest.GracefulDeleter", "the article is wrong: A Deployment's storage is a rest.Creater", "apitrace show create-deployment --k8s v1.30.4 --function 'registry.(*Store).create'"},
		"F": {
			"the nearest recorded release is " + oldest, "Deployment controller the nearest release that recorded this is v1.30.4",
			"v1.30.4: deployment.(*DeploymentController).syncDeployment ran in deployment-to-pod",
			"apitrace show deployment-to-pod --k8s v1.37.1 --function 'pod/storage.(*BindingREST).setPodNodeAndMetadata'",
			"the article is wrong: Initializers were removed in v1.14", "apitrace source 'initialization.(*initializer).Admit' --k8s v1.10",
			"v1.16.15: registry.(*DryRunnableStorage).Get ran in create-exists", "the article is wrong: Since v1.18, kubectl run has no generators",
		},
	} {
		var out bytes.Buffer
		if err := Write(&out, name, message.For("en")); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), w) {
				t.Errorf("article %q: expected %q in:\n%s", name, w, &out)
			}
		}
	}
	var zh bytes.Buffer
	if err := Write(&zh, "B", message.For("zh")); err != nil || !strings.Contains(zh.String(), "创建 container") {
		t.Errorf("article B in Chinese: error %v, expected \"创建 container\" in:\n%s", err, &zh)
	}
	for name, want := range map[string]string{"": "B, registration of /api/v1/nodes/{name}, 6  r.Get", "e": "E, methods of a storage, 1  Destroy: the HTTP handler for deletion"} {
		var out bytes.Buffer
		if err := WriteErrors(&out, name, message.For("en")); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("WriteErrors(%q): error %v, expected %q in:\n%s", name, err, want, &out)
		}
	}
	if err := Write(&bytes.Buffer{}, "Z", message.For("en")); err == nil || !strings.Contains(err.Error(), "expected one of") {
		t.Errorf("Write of the unknown article Z returned the error %v, expected the list of articles in it", err)
	}
}

// TestNoCommandForMain checks that the command for a function main is "", because
// "apitrace source" does not read the package of a program.
func TestNoCommandForMain(t *testing.T) {
	last, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(last, last)
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]string{
		"k8s.io/sample-apiserver.main":              "",
		"k8s.io/apimachinery/pkg/api/meta.Accessor": "apitrace source 'meta.Accessor' --k8s " + last,
	} {
		s := &step{Function: function}
		if at := r.lookUp(s); at.state != noSpan || s.command(r) != want {
			t.Errorf("%s: got the state %d and the command %q, expected noSpan and %q", function, at.state, s.command(r), want)
		}
	}
}
