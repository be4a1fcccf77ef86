package apiserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// SampleProgram says how to build the sample server that belongs to a version of
// Kubernetes in the form that ParseVersion gives; to a checkout, that of the release that it comes next to.
func SampleProgram(version string) program.Program {
	if program.IsLocal(version) {
		version = triedLike(version)
	}
	return sampleserver.Program(stagingVersion(version))
}

// BuildSample builds the sample server that belongs to a version of Kubernetes, or
// finds it in the cache.
func BuildSample(ctx context.Context, o BuildOptions) (*program.Binary, error) {
	p, options, edits, err := o.sample()
	if err != nil {
		return nil, err
	}
	binary, err := program.Build(ctx, p, options)
	return binary, explainCompile(explainNoSample(err), edits)
}

// WriteSamplePlan prints the steps of BuildSample without executing them. It does not use the network.
func WriteSamplePlan(ctx context.Context, w io.Writer, in message.Printer, o BuildOptions) error {
	p, options, _, err := o.sample()
	if err != nil {
		return err
	}
	plan, err := program.MakePlan(ctx, p, options)
	if err != nil {
		return err
	}
	return plan.Write(w, in)
}

// sample returns the sample server of the version, and how to build it.
func (o BuildOptions) sample() (p program.Program, options program.Options, edits []program.Edit, err error) {
	pair, err := o.withoutEtcd()
	if err != nil {
		return p, options, nil, err
	}
	version := pair.apiserver.Version
	p, options = SampleProgram(version), pair.apiserverOptions
	if pair.guide == nil {
		return p, options, nil, nil
	}
	edits, err = program.Edits{Dir: o.EditsDir, Version: version}.Changed(sampleserver.Name)
	// Most of its code is kube-apiserver's, so the guide counts its versions as those of Kubernetes.
	options.Rewrite = instrumentation(pair.guide, p, version, edits)
	return p, options, edits, err
}

// explainNoSample returns one error for a sample server that does not exist, and another if it could not be fetched.
func explainNoSample(err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return message.Errorf("the sample server of this release of Kubernetes is not available from the module proxy (go env GOPROXY): %w; choose another release, such as %s",
			download, DefaultVersion)
	}
	return err
}

// A Sample is a sample server behind the aggregator of a Server.
type Sample struct {
	// ProbeSocket is the path of the probe's socket in an instrumented server.
	ProbeSocket string

	server *Server
	client *http.Client
	runDir *program.RunDir
	child  *sampleserver.Server
	// made lists the paths of the objects that registered it, in the order in which they were created.
	made []string
}

// SampleOptions set how to run a sample server.
type SampleOptions struct {
	// Binary is the result of BuildSample. Required.
	Binary *program.Binary
	// Boot is a sampled W3C traceparent: the server's start becomes that trace. Empty: it
	// is not traced.
	Boot string
}

// StartSample starts a sample server, registers it and waits until it answers through
// the aggregator. A Server has at most one. The sample server ends with this process,
// however the process ends. The caller must call Stop, while the Server runs, to remove the registration.
func (s *Server) StartSample(ctx context.Context, o SampleOptions) (*Sample, error) {
	if s.SampleKubeconfig == "" || s.ProxyCAFile == "" {
		return nil, message.Errorf("the server at %s was started by an older apitrace, which did not prepare it for an aggregated server: stop it and start it again", s.BaseURL)
	}
	client, err := s.Client()
	if err != nil {
		return nil, err
	}
	sample := &Sample{server: s, client: client}
	if err := sample.start(ctx, o); err != nil {
		return nil, errors.Join(message.Errorf("starting %s: %w", sampleserver.Name, err), sample.Stop(context.WithoutCancel(ctx)))
	}
	return sample, nil
}

func (a *Sample) start(ctx context.Context, o SampleOptions) (err error) {
	var objects []sampleObject
	if err := yaml.UnmarshalStrict(sampleObjects, &objects); err != nil {
		return err
	}
	if a.runDir, err = program.NewRunDir(); err != nil {
		return err
	}
	for _, object := range objects {
		if err := a.create(ctx, object); err != nil {
			return err
		}
	}
	a.child, err = sampleserver.Start(ctx, sampleserver.Options{
		Binary: o.Binary.Path, RunDir: a.runDir, Check: a.server.Check, Boot: o.Boot,
		Etcd: a.server.Etcd, Kubeconfig: a.server.SampleKubeconfig,
		ProxyCAFile: a.server.ProxyCAFile, ProxyName: proxyName,
		// The name for which the aggregator verifies the certificate.
		ServiceName: sampleserver.Name + ".default.svc",
		Flags:       sampleFlags(a.server.K8sVersion),
	})
	if err != nil {
		return err
	}
	a.ProbeSocket = a.child.ProbeSocket
	for _, object := range a.apiServices() {
		if err := a.create(ctx, object); err != nil {
			return err
		}
	}
	return a.awaitServed(ctx)
}

// sampleFlags returns flags of the sample server that only old releases need: these let
// only authenticated users ask whether it is ready.
func sampleFlags(version string) []string {
	if (release.Range{Until: "v1.21"}).Has(version) {
		return []string{"--authorization-always-allow-paths=/readyz"}
	}
	return nil
}

// A sampleObject is an object that an aggregated server needs in kube-apiserver.
type sampleObject struct {
	// Path is that of its collection.
	Path   string         `json:"path"`
	Object map[string]any `json:"object"`
}

//go:embed sample.yaml
var sampleObjects []byte

// apiServices returns the objects that register the server's groups and versions with the aggregator.
func (a *Sample) apiServices() []sampleObject {
	var all []sampleObject
	for i, version := range sampleserver.Versions {
		all = append(all, sampleObject{"/apis/apiregistration.k8s.io/v1/apiservices", map[string]any{
			"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
			"metadata": map[string]any{"name": version + "." + sampleserver.Group},
			"spec": map[string]any{
				"group": sampleserver.Group, "version": version,
				"groupPriorityMinimum": 1000, "versionPriority": 20 - i,
				"caBundle": a.child.CAPEM,
				"service":  map[string]any{"name": sampleserver.Name, "namespace": "default", "port": a.child.Port},
			},
		}})
	}
	return all
}

// create creates an object, and replaces one that a killed run has left.
func (a *Sample) create(ctx context.Context, o sampleObject) error {
	metadata, _ := o.Object["metadata"].(map[string]any)
	path := fmt.Sprintf("%s/%s", o.Path, metadata["name"])
	if err := a.remove(ctx, path); err != nil {
		return err
	}
	if err := a.server.asAdmin(ctx, a.client, http.MethodPost, o.Path, o.Object); err != nil {
		return err
	}
	a.made = append(a.made, path)
	return nil
}

func (a *Sample) remove(ctx context.Context, path string) error {
	err := a.server.asAdmin(ctx, a.client, http.MethodDelete, path, nil)
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusNotFound {
		return nil
	}
	return err
}

// servedTimeout limits the time in which the aggregator must find the server available.
const servedTimeout = 30 * time.Second

// awaitServed waits until a client can read the server's objects through kube-apiserver:
// only then do the aggregator and the server know each other.
func (a *Sample) awaitServed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, servedTimeout)
	defer cancel()
	for _, version := range sampleserver.Versions {
		path := "/apis/" + sampleserver.Group + "/" + version + "/flunders"
		for {
			err := a.server.asAdmin(ctx, a.client, http.MethodGet, path, nil)
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return message.Errorf("the aggregator does not reach it after %v: %w", servedTimeout, err)
			case <-a.child.Done():
				return a.child.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

// Stop removes the registration, ends the sample server and removes its files. If the
// server had already ended by itself, Stop returns the reason.
func (a *Sample) Stop(ctx context.Context) error {
	var errs []error
	for _, path := range slices.Backward(a.made) {
		errs = append(errs, a.remove(ctx, path))
	}
	a.client.CloseIdleConnections()
	if a.child != nil {
		errs = append(errs, a.child.Err(), a.child.Stop(ctx))
	}
	if a.runDir != nil {
		errs = append(errs, a.runDir.Close())
	}
	return errors.Join(errs...)
}
