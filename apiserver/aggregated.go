package apiserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// An Aggregated is an API server behind the aggregator of a Server.
type Aggregated struct {
	// Name is the name of the program in traces.
	Name string
	// ProbeSocket is the path of the probe's socket in an instrumented server.
	ProbeSocket string
	// GroupVersions are the versions of its API groups, each group's preferred version
	// first: "metrics.k8s.io/v1beta1".
	GroupVersions []string
	// Unready is "" if the server was ready in time. Otherwise it has the failed checks
	// in the server's last answer to /readyz.
	Unready string
	// OpenAPILate is set if kube-apiserver did not fetch the server's OpenAPI in time.
	OpenAPILate bool

	server *Server
	client *http.Client
	runDir *program.RunDir
	child  *sampleserver.Server
	// terminated is set by Server.TerminateAggregated.
	terminated bool
	// made lists the paths of the objects that were created for the server, oldest first.
	made []string
}

// AggregatedOptions say how to run an API server behind the aggregator.
type AggregatedOptions struct {
	// Binary is a build of the sample server or of OwnRecipe. Required.
	Binary *program.Binary
	// Own describes a server of OwnRecipe; nil stands for the sample server.
	Own *OwnOptions
	// Boot is a sampled W3C traceparent: the server's start is recorded as this trace.
	// If Boot is empty, the start is not traced.
	Boot string
}

// OwnOptions describe a server of OwnRecipe.
type OwnOptions struct {
	// Name is the name of the program. Version has the form "MODULE VERSION".
	Name, Version string
	// Key is the binary's key.
	Key string
	// Config has the user's flags.
	Config serverconfig.Own
}

// name is the name of the program in traces.
func (o AggregatedOptions) name() string {
	if o.Own == nil {
		return sampleserver.Name
	}
	return o.Own.Name
}

// StartAggregated starts a server, registers it and waits until it answers through the
// aggregator. A Server has at most one aggregated server of a name.
// The aggregated server ends with this process, however the process ends.
// The caller must call Stop while the Server runs, to remove the registration.
func (s *Server) StartAggregated(ctx context.Context, o AggregatedOptions) (*Aggregated, error) {
	if s.SampleKubeconfig == "" || s.ProxyCAFile == "" {
		return nil, message.Errorf("the server at %s was started by an older apitrace, which did not prepare it for an aggregated server: stop it and start it again", s.BaseURL)
	}
	client, err := s.Client()
	if err != nil {
		return nil, err
	}
	a := &Aggregated{Name: o.name(), server: s, client: client}
	if err := a.start(ctx, o); err != nil {
		return nil, errors.Join(message.Errorf("starting %s: %w", a.Name, err), a.Stop(context.WithoutCancel(ctx)))
	}
	return a, nil
}

func (a *Aggregated) start(ctx context.Context, o AggregatedOptions) (err error) {
	objects, err := aggregatedObjects(o)
	if err != nil {
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
	options := sampleserver.Options{
		Name:   a.Name,
		Binary: o.Binary.Path, RunDir: a.runDir, Check: a.server.Check, Boot: o.Boot,
		Etcd: a.server.Etcd, Kubeconfig: a.server.SampleKubeconfig,
		ProxyCAFile: a.server.ProxyCAFile, ProxyName: proxyName,
		// The aggregator verifies that the certificate has this name.
		ServiceName: a.Name + ".default.svc",
	}
	if o.Own == nil {
		options.Flags = sampleFlags(a.server.K8sVersion)
	} else {
		options.Own, options.Kubeconfig = &o.Own.Config, a.server.KubeconfigOf(a.Name)
	}
	if a.child, err = sampleserver.Start(ctx, options); err != nil {
		return err
	}
	a.ProbeSocket, a.Unready = a.child.ProbeSocket, a.child.Unready
	served, err := a.served(ctx, o)
	if err != nil {
		return err
	}
	for _, object := range a.apiServices(served) {
		if err := a.create(ctx, object); err != nil {
			return err
		}
	}
	if err := a.awaitServed(ctx, o); err != nil || o.Own == nil {
		return err
	}
	return a.awaitOpenAPI(ctx)
}

// sampleFlags returns flags of the sample server that only old releases need.
// Without the flag, these releases do not answer /readyz to every client.
func sampleFlags(version string) []string {
	if (release.Range{Until: "v1.21"}).Has(version) {
		return []string{"--authorization-always-allow-paths=/readyz"}
	}
	return nil
}

// An aggregatedObject is an object that an aggregated server needs in kube-apiserver.
type aggregatedObject struct {
	// Path is the path of its collection.
	Path   string         `json:"path"`
	Object map[string]any `json:"object"`
}

//go:embed sample.yaml
var sampleObjects string

//go:embed own-role.yaml
var ownRole string

// aggregatedObjects returns the objects that a server needs before it starts.
// A server of the user's own may do everything in kube-apiserver, because its needs are
// not known.
func aggregatedObjects(o AggregatedOptions) (objects []aggregatedObject, err error) {
	text := strings.ReplaceAll(sampleObjects, sampleserver.Name, o.name())
	if err := yaml.UnmarshalStrict([]byte(text), &objects); err != nil || o.Own == nil {
		return objects, err
	}
	var rules []any
	if err := yaml.UnmarshalStrict([]byte(ownRole), &rules); err != nil {
		return nil, err
	}
	objects[0].Object["rules"] = rules
	// kube-apiserver fetches the server's OpenAPI as the user system:aggregator.
	// The server asks kube-apiserver whether this user may read it. Usually the binding of
	// system:discovery allows this; see removeDefaultBindings.
	// The user must be the second subject. Then the authorizer finds the server, the first
	// subject, with the same calls as without the user.
	subjects, _ := objects[1].Object["subjects"].([]any)
	objects[1].Object["subjects"] = append(subjects, map[string]any{
		"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "system:aggregator",
	})
	return objects, nil
}

// served returns the groups that the server serves but kube-apiserver does not.
func (a *Aggregated) served(ctx context.Context, o AggregatedOptions) ([]metav1.APIGroup, error) {
	if o.Own == nil { // the groups of the sample server are known
		return []metav1.APIGroup{groupOf(sampleserver.Group, sampleserver.Versions...)}, nil
	}
	var own, others metav1.APIGroupList
	if err := a.child.GetJSON(ctx, "/apis", a.server.AdminToken, &own); err != nil {
		return nil, message.Errorf("asking the server which API groups it serves: %w", err)
	}
	if err := a.server.readAsAdmin(ctx, a.client, "/apis", &others); err != nil {
		return nil, err
	}
	own.Groups = slices.DeleteFunc(own.Groups, func(g metav1.APIGroup) bool {
		return slices.ContainsFunc(others.Groups, func(other metav1.APIGroup) bool { return other.Name == g.Name })
	})
	if len(own.Groups) == 0 {
		return nil, message.NewError("it serves no API group that kube-apiserver does not serve itself: there is nothing to put behind the aggregator")
	}
	return own.Groups, nil
}

func groupOf(name string, versions ...string) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	for _, v := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + v, Version: v})
	}
	return group
}

// apiServices returns the objects that register the server's groups and versions with
// the aggregator. It adds the versions to a.GroupVersions.
func (a *Aggregated) apiServices(groups []metav1.APIGroup) []aggregatedObject {
	var all []aggregatedObject
	for _, group := range groups {
		for i, version := range group.Versions {
			a.GroupVersions = append(a.GroupVersions, version.GroupVersion)
			all = append(all, aggregatedObject{"/apis/apiregistration.k8s.io/v1/apiservices", map[string]any{
				"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
				"metadata": map[string]any{"name": version.Version + "." + group.Name},
				"spec": map[string]any{
					"group": group.Name, "version": version.Version,
					"groupPriorityMinimum": 1000, "versionPriority": max(20-i, 1),
					"caBundle": a.child.CAPEM,
					"service":  map[string]any{"name": a.Name, "namespace": "default", "port": a.child.Port},
				},
			}})
		}
	}
	return all
}

// create creates an object. If a killed run has left the object, create replaces it.
func (a *Aggregated) create(ctx context.Context, o aggregatedObject) error {
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

func (a *Aggregated) remove(ctx context.Context, path string) error {
	err := a.server.asAdmin(ctx, a.client, http.MethodDelete, path, nil)
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusNotFound {
		return nil
	}
	return err
}

// servedTimeout limits how long the aggregator may take to reach the server.
const servedTimeout = time.Minute

// awaitServed waits until a client can read objects of the sample server through
// kube-apiserver. The resources of other servers are not known, so awaitServed waits
// until a client can read the discovery of their API groups.
func (a *Aggregated) awaitServed(ctx context.Context, o AggregatedOptions) error {
	ctx, cancel := context.WithTimeout(ctx, servedTimeout)
	defer cancel()
	for _, version := range a.GroupVersions {
		path := "/apis/" + version
		if o.Own == nil {
			path += "/flunders"
		}
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

// openAPITimeout limits how long kube-apiserver may take to fetch the server's OpenAPI.
// kube-apiserver begins one second after it has seen the APIService
// (pkg/controllers/openapiv3/controller.go in kube-aggregator v0.37.1).
const openAPITimeout = 10 * time.Second

// awaitOpenAPI waits until kube-apiserver has the server's OpenAPI v3, which "kubectl
// explain" reads.
// It does not wait if the server or kube-apiserver's release has no OpenAPI v3.
func (a *Aggregated) awaitOpenAPI(ctx context.Context) error {
	var own openAPIIndex
	if a.child.GetJSON(ctx, openAPIPath, a.server.AdminToken, &own) != nil || !own.hasAny(a.GroupVersions) {
		return nil
	}
	timeout := time.After(openAPITimeout)
	for {
		var fetched openAPIIndex
		if err := a.server.readAsAdmin(ctx, a.client, openAPIPath, &fetched); err != nil || fetched.hasAll(own, a.GroupVersions) {
			return context.Cause(ctx) // any other error means that kube-apiserver has no OpenAPI v3
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-a.child.Done():
			return a.child.Err()
		case <-timeout:
			a.OpenAPILate = true
			return nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// openAPIPath is the path of an openAPIIndex, which lists the groups with OpenAPI v3.
const openAPIPath = "/openapi/v3"

type openAPIIndex struct {
	Paths map[string]any `json:"paths"`
}

func (i openAPIIndex) has(groupVersion string) bool { return i.Paths["apis/"+groupVersion] != nil }

func (i openAPIIndex) hasAny(groupVersions []string) bool {
	return slices.ContainsFunc(groupVersions, i.has)
}

// hasAll reports whether i has each of groupVersions that other has.
func (i openAPIIndex) hasAll(other openAPIIndex, groupVersions []string) bool {
	return !slices.ContainsFunc(groupVersions, func(v string) bool { return other.has(v) && !i.has(v) })
}

// Stop removes the server's objects from kube-apiserver, ends the server and removes its
// files. If the server had already ended by itself, Stop returns the reason.
func (a *Aggregated) Stop(ctx context.Context) error {
	var errs []error
	for _, path := range slices.Backward(a.made) {
		errs = append(errs, a.remove(ctx, path))
	}
	a.client.CloseIdleConnections()
	return errors.Join(append(errs, a.stop(ctx))...)
}

// stop is Stop, but leaves the objects in kube-apiserver.
// It is enough if kube-apiserver's store ends, too.
func (a *Aggregated) stop(ctx context.Context) error {
	var errs []error
	if a.child != nil {
		if !a.terminated {
			errs = append(errs, a.child.Err())
		}
		errs = append(errs, a.child.Stop(ctx))
	}
	if a.runDir != nil {
		errs = append(errs, a.runDir.Close())
	}
	return errors.Join(errs...)
}
