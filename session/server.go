package session

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// stopTimeout limits the stopping of servers, which happens even if the caller's context
// has ended.
const stopTimeout = 20 * time.Second

// A Spec describes a kube-apiserver.
type Spec struct {
	// Version is a Kubernetes release, as for apiserver.ParseVersion.
	Version string
	// Own is an API server to put behind the aggregator, if not zero.
	Own serverconfig.Own
	// Check turns on the checking mode of the probes.
	Check bool
	// Extra are additional settings of the server, such as flags. A server with a
	// scenario's extras is not shared.
	Extra serverconfig.Extra
	// Boot is the trace id of the start of kube-apiserver, or of Own if set, or "" for no
	// trace of it. A server with a traced start is not shared either.
	Boot string
	// Trace names packages to trace in addition to the packages that apitrace always
	// traces; see apiserver.BuildOptions.
	Trace []string
	// Etcd is an etcd of another program. If its URL is "", the server gets its own etcd.
	Etcd storage.Endpoint
	// ControlPlane is set if kube-controller-manager, kube-scheduler and a kubelet run
	// beside the server. It must not be combined with Etcd.
	ControlPlane bool
}

// shared reports whether other commands may use the server too.
func (s Spec) shared() bool { return s.Extra.IsZero() && s.Boot == "" }

// startOptions returns the options to start the server with.
func (s Spec) startOptions() apiserver.StartOptions {
	start := apiserver.StartOptions{Check: s.Check, Extra: s.Extra, Trace: s.Trace}
	if s.Etcd.URL != "" {
		start.Etcd = &s.Etcd
	}
	if s.ControlPlane {
		start.Cluster = controlplane.Cluster()
	}
	if s.Boot != "" && s.Own.IsZero() {
		start.Boot = trace.Traceparent(s.Boot)
	}
	return start
}

// withOwn adds the API server behind the aggregator to the options to start the server
// with. own may be nil: then the options only serve to compute the variant.
func (s Spec) withOwn(start apiserver.StartOptions, own *ownBuild, key string) apiserver.StartOptions {
	start.Aggregated = &apiserver.AggregatedOptions{Own: &apiserver.OwnOptions{Key: key, Config: s.Own}}
	if s.Boot != "" {
		start.Aggregated.Boot = trace.Traceparent(s.Boot)
	}
	if own == nil {
		return start
	}
	start.Aggregated.Binary = own.Binary
	start.Aggregated.Own.Name, start.Aggregated.Own.Version = own.program.Name, own.program.Module+" "+own.program.Version
	return start
}

// A Reuse selects which servers of "apitrace serve" may be used.
type Reuse int

const (
	// ReuseSame uses a server with the same extras, store, server behind the aggregator
	// and traced packages.
	ReuseSame Reuse = iota
	// ReuseAny also accepts any extras, store, server behind the aggregator, traced
	// packages and programs beside the server, if the Spec has none of these.
	ReuseAny
	// ReuseNone always starts a server, because a server behaves differently after
	// some minutes.
	ReuseNone
)

// ServerOptions describe the server and how to get it.
type ServerOptions struct {
	Spec
	Reuse Reuse
	Edits Edits
	// Debuggable is program.Options.Debuggable of a server to build.
	Debuggable bool
	// Secrets is how to treat the errors of requests for secrets.
	Secrets collect.Secrets
	// OutsidePaths lets a scenario pass paths outside of its own files' folder to
	// kube-apiserver.
	OutsidePaths bool
}

// Validate checks the options. Its errors are message.UsageErrors.
func (o ServerOptions) Validate() error {
	if _, err := apiserver.ParseVersion(o.Version); err != nil {
		return message.ToUsageError(err)
	}
	if err := o.Own.Check(); err != nil {
		return message.ToUsageError(err)
	}
	if _, err := traced.ParsePackages(o.Trace); err != nil {
		return err
	}
	if err := o.checkControlPlane(); err != nil {
		return err
	}
	if o.Etcd.URL == "" {
		if o.Etcd != (storage.Endpoint{}) {
			return message.UsageErrorf("--etcd-cafile, --etcd-certfile, --etcd-keyfile and --etcd-prefix are for an etcd of your own: give its address with --etcd-servers")
		}
		return nil
	}
	if err := o.Etcd.Validate(); err != nil {
		return message.ToUsageError(message.Errorf("--etcd-servers: %w", err))
	}
	return nil
}

// forScenario returns the options for a scenario. It returns a message.UsageError if the
// scenario follows its requests, and the server cannot.
func (o ServerOptions) forScenario(scenario *scenarios.Scenario) (ServerOptions, error) {
	o.Spec = o.Spec.forScenario(scenario)
	if scenario.Follow == nil {
		return o, nil
	}
	if err := o.checkControlPlane(); err != nil {
		return o, err
	}
	version, err := apiserver.ParseVersion(o.Version)
	if err != nil {
		return o, message.ToUsageError(err)
	}
	return o, CanFollow(version)
}

// buildOptions returns the options for the server's programs.
func (o ServerOptions) buildOptions(plain bool, progress program.Progress) (apiserver.BuildOptions, error) {
	edits, err := o.Edits.Dir()
	return apiserver.BuildOptions{Version: o.Version, Plain: plain, Debuggable: o.Debuggable, EditsDir: edits, Trace: o.Trace, Progress: progress}, err
}

// checkTrace returns a message.UsageError if none of the server's programs has a package
// of Trace.
func (o ServerOptions) checkTrace(ctx context.Context, to Reporter) error {
	if len(o.Trace) == 0 {
		return nil
	}
	progress := to.Building()
	defer progress.Close()
	wanted, err := o.buildOptions(false, progress)
	if err != nil {
		return err
	}
	return apiserver.CheckTrace(ctx, o.Own, wanted)
}

// build builds kube-apiserver and its etcd, or finds them in the cache. With plain it
// builds upstream's programs without tracing.
func (o ServerOptions) build(ctx context.Context, plain bool, to Reporter) (*apiserver.Build, error) {
	wanted, err := o.buildOptions(plain, nil)
	if err != nil {
		return nil, err
	}
	if err := reportEdits(to, wanted.EditsDir, o.Version, apiserver.Name, storage.Name); err != nil {
		return nil, err
	}
	progress := to.Building()
	defer progress.Close()
	wanted.Progress = progress
	return apiserver.BuildPrograms(ctx, wanted)
}

// An ownBuild is a built server behind the aggregator.
type ownBuild struct {
	*program.Binary
	program program.Program
}

// ownRecipe returns how to build the server behind the aggregator. It reports the
// progress of finding the server.
func (o ServerOptions) ownRecipe(ctx context.Context, plain bool, progress program.Progress) (*traced.Recipe, error) {
	wanted, err := o.buildOptions(plain, progress)
	if err != nil {
		return nil, err
	}
	return apiserver.OwnRecipe(ctx, o.Own, wanted)
}

// OwnKey identifies the build of the server behind the aggregator by its content, without
// Debuggable. Different keys mean different source.
func (o ServerOptions) OwnKey(ctx context.Context) (string, error) {
	o.Debuggable = false
	recipe, err := o.ownRecipe(ctx, false, nil)
	if err != nil {
		return "", err
	}
	return recipe.Key(ctx)
}

// buildOwn builds the server behind the aggregator, or finds it in the cache. It returns
// nil without Own.
func (o ServerOptions) buildOwn(ctx context.Context, plain bool, to Reporter) (*ownBuild, error) {
	if o.Own.IsZero() {
		return nil, nil
	}
	found := to.Building() // closed before the notices, so that its lines do not mix with them
	recipe, err := o.ownRecipe(ctx, plain, found)
	found.Close()
	if err != nil {
		return nil, err
	}
	for _, e := range recipe.Edits {
		noteEdit(to, e)
	}
	progress := to.Building()
	defer progress.Close()
	binary, err := recipe.WithProgress(progress).Build(ctx)
	if err != nil {
		return nil, err
	}
	return &ownBuild{binary, recipe.Program}, nil
}

// buildOne builds one of apiserver.Programs, or finds it in the cache.
func (o ServerOptions) buildOne(ctx context.Context, name string, plain bool, to Reporter) (*program.Binary, error) {
	wanted, err := o.buildOptions(plain, nil)
	if err != nil {
		return nil, err
	}
	if err := reportEdits(to, wanted.EditsDir, o.Version, name); err != nil {
		return nil, err
	}
	progress := to.Building()
	defer progress.Close()
	wanted.Progress = progress
	recipe, err := apiserver.Recipe(ctx, name, wanted)
	if err != nil {
		return nil, err
	}
	return recipe.Build(ctx)
}

// sampleFor builds the sample server, or returns nil if the scenario needs none or Own
// replaces it.
func (o ServerOptions) sampleFor(ctx context.Context, scenario *scenarios.Scenario, to Reporter) (*program.Binary, error) {
	if !scenario.Setup.Aggregated || !o.Own.IsZero() {
		return nil, nil
	}
	return o.buildOne(ctx, sampleserver.Name, false, to)
}

// Attach finds a server that "apitrace serve" keeps running. It returns
// apiserver.ErrNotServed if no server of this build that Reuse allows is running, if none
// has the requested checking mode, or if the Spec cannot share one. It builds nothing and
// reads no binary, so a run that finds a server begins at once.
func (o ServerOptions) Attach(ctx context.Context) (*apiserver.Server, error) {
	if o.Reuse == ReuseNone || !o.shared() {
		slog.Debug("not using a running server", "reuse", int(o.Reuse), "shared", o.shared())
		return nil, apiserver.ErrNotServed
	}
	k, err := o.kind(ctx)
	if err != nil {
		return nil, err
	}
	logWanted(o, k.key)
	server, err := apiserver.Attach(ctx, k.cache, k.version, k.key)
	if errors.Is(err, apiserver.ErrNotServed) && k.any != k.key {
		server, err = apiserver.Attach(ctx, k.cache, k.version, k.any)
	}
	if err == nil && o.Check && !server.Check {
		return nil, apiserver.ErrNotServed
	}
	return server, err
}

// A Running is a kube-apiserver in use, from "apitrace serve" or this process. The caller
// must call Close.
type Running struct {
	*apiserver.Server
	options ServerOptions
	fetcher *fetcher
	stop    func() error
}

// Obtain finds a running server, or builds and starts one. If it started one, the
// returned context ends when the server dies; deathOf returns the reason.
func (o ServerOptions) Obtain(ctx context.Context, to Reporter) (context.Context, *Running, error) {
	if outside := o.Extra.OutsidePaths(); len(outside) > 0 && !o.OutsidePaths {
		return nil, nil, message.UsageErrorf("the scenario lets kube-apiserver use paths outside of its own folder, by %s: write them as ${dir}/NAME, or allow them with \"apitrace run --outside-paths\"", message.List(outside))
	}
	server, err := o.attachOrWait(ctx, to)
	if err == nil {
		logServer(ctx, "attached to a server", server)
		to.Notice("using the server that is running at %s", server.BaseURL)
		running := o.use(server, func() error { return nil })
		running.reportKind(to)
		return ctx, running, nil
	}
	if !errors.Is(err, apiserver.ErrNotServed) {
		return nil, nil, err
	}
	serving, running, err := o.start(ctx, to)
	if err == nil {
		running.reportKind(to)
	}
	return serving, running, err
}

// start builds and starts a server, even if others are running. The returned context is
// like Obtain's.
func (o ServerOptions) start(ctx context.Context, to Reporter) (context.Context, *Running, error) {
	if err := o.checkTrace(ctx, to); err != nil {
		return nil, nil, err
	}
	start := o.startOptions()
	own, err := o.buildOwn(ctx, false, to) // first, because the build of kube-apiserver takes minutes, and Own may have a mistake
	if err != nil {
		return nil, nil, err
	}
	if own != nil {
		defer own.Release() // a running server keeps its programs locked
		key := own.Key
		if o.Debuggable { // then commands without --debuggable find the server too
			if key, err = o.OwnKey(ctx); err != nil {
				return nil, nil, err
			}
		}
		start = o.withOwn(start, own, key)
	}
	build, err := o.build(ctx, false, to)
	if err != nil {
		return nil, nil, err
	}
	defer build.Release()
	plane, err := o.buildControlPlane(ctx, false, to)
	if err != nil {
		return nil, nil, err
	}
	defer plane.Release()
	slog.DebugContext(ctx, "starting a server", "kube-apiserver", build.APIServer.Path, "etcd", build.Etcd.Path, "edited", build.Edited)
	serving, server, stop, err := startWith(ctx, build, start, plane, to)
	if err != nil {
		return nil, nil, err
	}
	return serving, o.use(server, stop), nil
}

// startWith starts a server and the programs beside it. plane is nil without such
// programs. The returned context ends when one of them dies. stop ends all of them.
func startWith(ctx context.Context, build *apiserver.Build, o apiserver.StartOptions, plane *controlplane.Build, to Reporter) (serving context.Context, server *apiserver.Server, stop func() error, err error) {
	progress := to.Building()
	progress.Report(program.Event{Program: apiserver.Name + " " + build.K8sVersion, Stage: program.StageStart})
	server, err = apiserver.Start(ctx, build, o)
	progress.Close()
	if err != nil {
		return nil, nil, nil, err
	}
	logServer(ctx, "started a server", server)
	serving, cancel := endingWith(ctx, server)
	stopServer := func() error { cancel(nil); return stopWithin(ctx, server.Stop) }
	if plane == nil {
		return serving, server, stopServer, nil
	}
	to.Notice("kube-apiserver is ready; starting kube-controller-manager, kube-scheduler and a kubelet")
	beside, err := controlplane.Start(serving, server, plane)
	if err != nil {
		return nil, nil, nil, errors.Join(err, stopServer())
	}
	server.ClusterSockets = beside.Sockets()
	all, cancelAll := endingWith(serving, beside)
	stop = func() error { cancelAll(nil); return errors.Join(stopWithin(ctx, beside.Stop), stopServer()) }
	return all, server, stop, nil
}

// endingWith returns a context that ends with a server. Its cause is the server's error.
func endingWith(ctx context.Context, server interface {
	Done() <-chan struct{}
	Err() error
}) (context.Context, context.CancelCauseFunc) {
	serving, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-server.Done():
			cancel(server.Err())
		case <-serving.Done():
		}
	}()
	return serving, cancel
}

func (o ServerOptions) use(server *apiserver.Server, stop func() error) *Running {
	return &Running{Server: server, options: o, fetcher: newFetcher(server, o.Secrets), stop: stop}
}

// reportKind reports how the server differs from upstream's kube-apiserver with an
// etcd of its own.
func (r *Running) reportKind(to Reporter) {
	if r.ExternalEtcd {
		to.Notice("its etcd, at %s, is not traced: traces end at the etcd client in kube-apiserver", r.Etcd.URL)
	}
	if a := r.Aggregated; a != nil {
		to.Notice("behind its aggregator, %s serves %s", a.Version, message.List(a.GroupVersions))
		if a.Unready != "" {
			to.Notice("%s answers, but says that it is not ready: %s", a.Name, a.Unready)
		}
		if a.OpenAPILate {
			to.Notice("kube-apiserver has not fetched the OpenAPI of %s yet: \"kubectl explain\" does not know its objects until it has", a.Name)
		}
	}
	if r.Cluster {
		to.Notice("kube-controller-manager, kube-scheduler and the kubelet of the node %s run beside it, and act on its objects", controlplane.Node)
	}
	if len(r.More) > 0 {
		to.Notice("it also traces %s", message.List(r.More))
	}
	if len(r.Edited) > 0 {
		to.Notice("THIS SERVER IS CHANGED by your edits of %s (apitrace edit --list)", message.List(r.Edited))
	}
}

// Close stops the server if this process started it.
func (r *Running) Close() error { return errors.Join(r.fetcher.Close(), r.stop()) }

// blame returns why the server died, if this process started it. Otherwise it returns
// err. If another process's server has ended or does not answer, blame adds that to err.
// serving is the context from Obtain.
func (r *Running) blame(serving context.Context, err error) error {
	if r.Done() != nil && errors.As(err, new(*url.Error)) { // a connection breaks before the process is known to have ended
		select {
		case <-serving.Done():
		case <-time.After(time.Second):
		}
	}
	if death := deathOf(serving); death != nil {
		return death
	}
	if r.Done() != nil {
		return err // this process started the server, and the server is alive
	}
	_, gone := r.options.Attach(serving)
	if errors.As(gone, new(*apiserver.SilentError)) {
		return message.Errorf("%w; %w", err, notReplaced(gone))
	}
	if gone != nil {
		return message.Errorf("%w; the server at %s that another apitrace process keeps running has ended or no longer answers (look at the terminal of \"apitrace serve\"); run this command again to start a server", err, r.BaseURL)
	}
	return err
}

// deathOf returns why the server died that ended the context serving. It returns nil if
// the context has not ended, or if the user ended it: then the cause is context.Canceled
// or has a method Signal.
func deathOf(serving context.Context) error {
	cause := context.Cause(serving)
	if errors.Is(cause, context.Canceled) || errors.As(cause, new(signaller)) {
		return nil
	}
	return cause
}

// stopWithin calls stop even if ctx has ended.
func stopWithin(ctx context.Context, stop func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return stop(ctx)
}
