package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A kind identifies servers that can replace each other.
type kind struct {
	cache   *program.Cache
	version string
	// key is the key of the build with the options' variant. any also matches the other
	// variants that the options accept; it equals key if they accept no other.
	key, any string
}

// kind returns the kind of server in the options.
func (o ServerOptions) kind(ctx context.Context) (k kind, err error) {
	if k.cache, err = program.OpenCache(""); err != nil {
		return k, err
	}
	edits, err := o.Edits.Dir()
	if err != nil {
		return k, err
	}
	start := o.startOptions()
	if !o.Own.IsZero() { // first: without the source of Own there is no server to look for
		own, err := o.OwnKey(ctx)
		if err != nil {
			return k, err
		}
		start = o.withOwn(start, nil, own)
	}
	var build string
	if k.version, build, err = apiserver.Key(ctx, apiserver.BuildOptions{Version: o.Version, EditsDir: edits, Cache: k.cache}); err != nil {
		return k, err
	}
	variant := start.Variant()
	k.key = build + variant
	if k.any = k.key; o.Reuse == ReuseAny && variant == "" {
		k.any = build + apiserver.AnyVariant
	}
	return k, nil
}

// attachOrWait is Attach, but waits for a server that "apitrace serve" is starting.
func (o ServerOptions) attachOrWait(ctx context.Context, to Reporter) (*apiserver.Server, error) {
	server, err := o.Attach(ctx)
	if o.Reuse == ReuseNone || !o.shared() {
		return server, err
	}
	for told := false; errors.Is(err, apiserver.ErrNotServed); told = true {
		k, kindErr := o.kind(ctx)
		if kindErr != nil {
			return nil, kindErr
		}
		if !apiserver.Starting(k.cache, k.version, k.any) {
			server, err = o.Attach(ctx) // the server may have become ready since the last attempt
			break
		}
		if !told {
			to.Notice("waiting for the server that \"apitrace serve\" is starting")
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(startPoll):
		}
		server, err = o.Attach(ctx)
	}
	if errors.As(err, new(*apiserver.SilentError)) {
		return nil, notReplaced(err)
	}
	return server, err
}

// notReplaced returns an error with advice about a silent server.
func notReplaced(silent error) error {
	return message.Errorf("%w; it holds the objects that you created, so apitrace does not replace it: let it continue, stop it with \"apitrace serve --stop\", or start a server only for this command with --fresh", silent)
}

// startPoll is how often a starting server is checked.
const startPoll = 200 * time.Millisecond

// serve starts a server for other processes too, unless one of its kind is running or
// starting. The returned context is like Obtain's.
func (o ServerOptions) serve(ctx context.Context, to Reporter) (_ context.Context, _ *Running, err error) {
	k, err := o.kind(ctx)
	if err != nil {
		return nil, nil, err
	}
	claim, err := apiserver.ClaimServer(k.cache, k.version, k.key)
	if errors.Is(err, apiserver.ErrClaimed) {
		return nil, nil, whoServes(ctx, k)
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, claim.Close())
		}
	}()
	serving, running, err := o.start(ctx, to)
	if err != nil {
		return nil, nil, err
	}
	if err := running.Publish(); err != nil {
		return nil, nil, errors.Join(err, running.Close())
	}
	stop := running.stop
	running.stop = func() error { return errors.Join(stop(), claim.Close()) }
	return serving, running, nil
}

// ServeUntil starts a server for other processes too, reports how to use it, and keeps it
// running until ctx or the server ends. It writes the path of the administrator's
// kubeconfig to w.
func (o ServerOptions) ServeUntil(ctx context.Context, sampling Sampling, w io.Writer, to Reporter) (err error) {
	serving, server, err := o.serve(ctx, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	server.introduce(to)
	if sampling.OTLP {
		sampler, sampleErr := server.sample(ctx, sampling.Rate, to)
		if sampleErr != nil {
			return sampleErr
		}
		defer func() { err = errors.Join(err, sampler.close(ctx)) }()
		to.Notice("as the administrator, %s traced and sent by OTLP:", sampling.part())
		to.Notice("  export KUBECONFIG=%s", sampler.Kubeconfig)
	}
	to.Notice("%s", pressToStop)
	fmt.Fprintln(w, server.AdminKubeconfig)
	<-serving.Done()
	return context.Cause(serving)
}

// pressToStop is advice for a user at the terminal.
var pressToStop = message.Of("press Ctrl-C to stop it")

// introduce reports the server's address and how to send requests to it.
func (r *Running) introduce(to Reporter) {
	to.Notice("kube-apiserver %s with etcd %s is ready at %s", r.K8sVersion, r.EtcdVersion, r.BaseURL)
	r.reportKind(to)
	to.Notice("as the administrator, who may do everything:")
	to.Notice("  export KUBECONFIG=%s", r.AdminKubeconfig)
	to.Notice("as the learner, who may only do what RBAC objects allow:")
	to.Notice("  export KUBECONFIG=%s", r.LearnerKubeconfig)
	if r.Cluster {
		r.introduceCluster(to)
	}
	release := ""
	if r.K8sVersion != apiserver.DefaultVersion {
		release = " --k8s " + r.K8sVersion
	}
	path, arguments := "/api/v1/namespaces", "get namespaces"
	if a := r.Aggregated; a != nil && len(a.GroupVersions) > 0 { // send a request through both servers
		path = "/apis/" + a.GroupVersions[0]
		arguments = "get --raw " + path
	}
	to.Notice("to see the trace of a request of your own: apitrace request%s GET %s", release, path)
	to.Notice("or of all requests of a program: apitrace exec%s -- kubectl %s", release, arguments)
}

// whoServes returns an error with the server or process that holds the claim.
func whoServes(ctx context.Context, k kind) error {
	server, err := apiserver.Attach(ctx, k.cache, k.version, k.key)
	switch {
	case err == nil:
		return message.Errorf("a server of %s is already running at %s, with the kubeconfig %s: use that one, or stop it first (apitrace serve --stop)",
			server.K8sVersion, server.BaseURL, server.AdminKubeconfig)
	case errors.Is(err, apiserver.ErrNotServed):
		return message.Errorf("another \"apitrace serve\" is starting or stopping a server of %s: wait for it; \"apitrace serve --status\" shows when it is ready", k.version)
	default:
		return message.Errorf("%w; stop it first (apitrace serve --stop)", err)
	}
}

// stopServed stops a server of another process. It tells the process to end, even if
// suspended, and kills it if it does not.
func stopServed(ctx context.Context, server *apiserver.Server) error {
	return stopOwner(ctx, server.Owner, func() bool { return program.RunDirAlive(server.RunDir) })
}

// stopOwner tells a process to end and waits until alive returns false. After
// stopTimeout it kills the process.
func stopOwner(ctx context.Context, pid int, alive func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	owner, err := os.FindProcess(pid)
	if err != nil {
		return message.Errorf("stopping process %d: %w", pid, err)
	}
	if err := errors.Join(owner.Signal(syscall.SIGTERM), owner.Signal(syscall.SIGCONT)); err != nil && alive() {
		return message.Errorf("stopping process %d: %w", pid, err)
	}
	// sweepLogs removes the log only after the process, so wait for it a little.
	gone := func() bool { return errors.Is(owner.Signal(syscall.Signal(0)), os.ErrProcessDone) }
	defer func() {
		for i := 0; i < 40 && !gone(); i++ {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	for alive() {
		select {
		case <-ctx.Done():
			_ = owner.Kill() // the servers hold a pipe to the process, and end with it
			return message.Errorf("process %d did not stop its server within %v and was killed", pid, stopTimeout)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return nil
}

// WriteServed lists the servers that are kept running, and whether each answers.
func WriteServed(ctx context.Context, w io.Writer, p message.Printer, to Reporter) error {
	servers, starters, err := served()
	if err != nil {
		return err
	}
	if len(servers)+len(starters) == 0 {
		to.Notice("no server is kept running; \"apitrace serve\" starts one")
		return nil
	}
	table := text.NewTable(2)
	table.Row(p.Sprintf("VERSION"), "URL", p.Sprintf("PROCESS"), p.Sprintf("STATE"), "KUBECONFIG")
	for _, s := range servers {
		table.Row(s.K8sVersion, s.BaseURL, s.Owner, stateOf(s, s.Answers(ctx)).In(p.Lang()), s.AdminKubeconfig)
	}
	for _, s := range starters {
		table.Row(s.K8sVersion, "-", s.Owner, p.Sprintf("starting or stopping"), "-")
	}
	return table.Write(w)
}

// stateOf describes a server that is kept running. silence is the result of its Answers.
func stateOf(s *apiserver.Server, silence error) message.Message {
	state := message.Of("ready")
	if silence != nil {
		state = message.Of("does not answer")
	}
	if len(s.Edited) > 0 {
		state = message.Of("%s, edited", state)
	}
	if len(s.More) > 0 {
		state = message.Of("%s, with more traced packages", state)
	}
	if s.Cluster {
		state = message.Of("%s, with a control plane", state)
	}
	if s.Aggregated != nil {
		state = message.Of("%s, with %s behind it", state, s.Aggregated.Version)
	}
	return state
}

// served lists the servers that are kept running, and the processes that are starting
// or stopping a server.
func served() ([]*apiserver.Server, []apiserver.Starter, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, nil, err
	}
	sweepLogs(cache)
	starters, err := apiserver.Starters(cache)
	if err != nil {
		return nil, nil, err
	}
	servers, err := apiserver.Served(cache)
	return servers, starters, err
}

// StopServed stops the servers of the wanted versions that are kept running or are
// being started.
func StopServed(ctx context.Context, wanted func(version string) bool, to Reporter) error {
	servers, starters, err := served()
	if err != nil {
		return err
	}
	servers = slices.DeleteFunc(servers, func(s *apiserver.Server) bool { return !wanted(s.K8sVersion) })
	starters = slices.DeleteFunc(starters, func(s apiserver.Starter) bool { return !wanted(s.K8sVersion) })
	if len(servers)+len(starters) == 0 {
		to.Notice("no server is kept running")
	}
	var errs []error
	for _, s := range servers {
		if err := stopServed(ctx, s); err != nil {
			errs = append(errs, err)
			continue
		}
		to.Notice("stopped the server of %s at %s", s.K8sVersion, s.BaseURL)
	}
	for _, s := range starters {
		if err := stopOwner(ctx, s.Owner, s.Alive); err != nil {
			errs = append(errs, err)
			continue
		}
		to.Notice("stopped process %d, which was starting a server of %s", s.Owner, s.K8sVersion)
	}
	if cache, err := program.OpenCache(""); err == nil {
		sweepLogs(cache)
	}
	return errors.Join(errs...)
}
