package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/storage"
	"github.com/kubeapitrace/apitrace/trace"
)

// stopTimeout bounds the stopping of the servers, which also has to be done when
// the command's context has ended.
const stopTimeout = 20 * time.Second

// serverOptions say which kube-apiserver is wanted.
type serverOptions struct {
	k8s   string
	check bool
	// extra is what a scenario wants of its server. One that has it is not shared.
	extra apiserver.Extra
	// boot is the trace id of the server's start, "" if that is not traced. Such a server
	// is not shared either.
	boot string
	// edits is a folder with edits of the source; "" is the user's own. pristine leaves
	// edits out.
	edits    string
	pristine bool
	// etcd is an etcd that somebody else runs; its URL is "" if the server is to have its own.
	etcd storage.Endpoint
	// fresh leaves alone what is kept running: the server does other things after some minutes.
	fresh bool
	// any takes whatever server of the version is kept running, if nothing else is asked for.
	any bool
}

func (o *serverOptions) addVersionFlag(command *cobra.Command) {
	command.Flags().StringVar(&o.k8s, "k8s", apiserver.DefaultVersion, "version of Kubernetes to trace")
}

func (o *serverOptions) addFlags(command *cobra.Command) {
	o.addVersionFlag(command)
	command.Flags().BoolVar(&o.check, "check", false, "compare each recorded call with the real stack of its goroutine (slower), and fail if one differs")
}

func (o *serverOptions) validate() error {
	if _, err := apiserver.ParseVersion(o.k8s); err != nil {
		return &usageError{err: err}
	}
	return o.validateEtcd()
}

// suits tells, before anything is built, whether the scenario can be played on that version.
func (o *serverOptions) suits(scenario *scenarios.Scenario) error {
	version, err := apiserver.ParseVersion(o.k8s)
	if err != nil {
		return &usageError{err: err}
	}
	if err := scenario.RunsOn(version); err != nil {
		return &usageError{err: err}
	}
	return nil
}

// want asks for the server that the scenario needs.
func (o *serverOptions) want(scenario *scenarios.Scenario) {
	o.extra = scenario.Setup.Server
	if scenario.Boots(apiserver.Name) {
		o.boot = trace.NewTraceID()
	}
}

// shared tells whether one of the servers that others keep running can do.
func (o *serverOptions) shared() bool { return o.extra.IsZero() && o.boot == "" }

// start says how to start the server.
func (o *serverOptions) start() apiserver.StartOptions {
	start := apiserver.StartOptions{Check: o.check, Extra: o.extra}
	if o.etcd.URL != "" {
		start.Etcd = &o.etcd
	}
	if o.boot != "" {
		start.Boot = trace.Traceparent(o.boot)
	}
	return start
}

// build builds what is not yet built, with progress on io.err.
func (o *serverOptions) build(ctx context.Context, std *streams, plain bool) (*apiserver.Build, error) {
	edits, err := o.editsDir()
	if err != nil {
		return nil, err
	}
	if err := sayBuilding(std, edits, o.k8s); err != nil {
		return nil, err
	}
	display := program.NewDisplay(std.err, std.errTerminal)
	defer display.Close()
	return apiserver.BuildPrograms(ctx, apiserver.BuildOptions{Version: o.k8s, Plain: plain, EditsDir: edits, Progress: display})
}

// editsDir is the folder of the user's edits, "" if none are to be built in.
func (o *serverOptions) editsDir() (string, error) {
	if o.pristine {
		return "", nil
	}
	if o.edits != "" {
		return o.edits, nil
	}
	return editsDir()
}

// buildSample builds the sample server of the version, if it is not yet built.
func (o *serverOptions) buildSample(ctx context.Context, std *streams, plain bool) (*program.Binary, error) {
	display := program.NewDisplay(std.err, std.errTerminal)
	defer display.Close()
	return apiserver.BuildSample(ctx, apiserver.BuildOptions{Version: o.k8s, Plain: plain, Progress: display})
}

// attach finds a server that "apitrace serve" keeps running. It returns
// apiserver.ErrNotServed if there is none of the wanted build, or none in the checking
// mode that is asked for, or the server is to have something extra or its start is to
// be traced. It builds nothing and reads no binary, so that a run which finds a server
// begins at once.
func (o *serverOptions) attach(ctx context.Context) (*apiserver.Server, error) {
	if o.fresh || !o.shared() {
		return nil, apiserver.ErrNotServed
	}
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, err
	}
	edits, err := o.editsDir()
	if err != nil {
		return nil, err
	}
	version, key, err := apiserver.Key(ctx, apiserver.BuildOptions{Version: o.k8s, EditsDir: edits, Cache: cache})
	if err != nil {
		return nil, err
	}
	variant := o.start().Variant()
	server, err := apiserver.Attach(ctx, cache, version, key+variant)
	if errors.Is(err, apiserver.ErrNotServed) && o.any && variant == "" {
		server, err = apiserver.Attach(ctx, cache, version, key+apiserver.AnyVariant)
	}
	if err == nil && o.check && !server.Check {
		return nil, apiserver.ErrNotServed
	}
	return server, err
}

// obtain finds a running server, or starts one that stop stops. The context that
// it returns ends when that server dies.
func (o *serverOptions) obtain(ctx context.Context, std *streams) (_ context.Context, server *apiserver.Server, stop func() error, err error) {
	defer func() {
		if err == nil {
			sayChanged(std, server.Edited)
		}
	}()
	server, err = o.attach(ctx)
	if err == nil {
		std.notice("using the server that is running at %s", server.BaseURL)
		sayExternal(std, server)
		return ctx, server, func() error { return nil }, nil
	}
	if !errors.Is(err, apiserver.ErrNotServed) {
		return nil, nil, nil, err
	}
	build, err := o.build(ctx, std, false)
	if err != nil {
		return nil, nil, nil, err
	}
	server, err = apiserver.Start(ctx, build, o.start())
	if err != nil {
		return nil, nil, nil, err
	}
	sayExternal(std, server)
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-server.Done():
			cancel(server.Err())
		case <-watched.Done():
		}
	}()
	return watched, server, func() error { cancel(nil); return stopServer(ctx, server) }, nil
}

// blame returns the death of the server instead of what went wrong in consequence of it.
// serving is the context that obtain has returned.
func (o *serverOptions) blame(serving context.Context, server *apiserver.Server, err error) error {
	if server.Done() != nil && errors.As(err, new(*url.Error)) { // a connection breaks before the process is known to have ended
		select {
		case <-serving.Done():
		case <-time.After(time.Second):
		}
	}
	if death := deathOf(serving); death != nil {
		return death
	}
	if server.Done() != nil {
		return err // it is ours, and lives
	}
	if _, gone := o.attach(serving); gone != nil {
		return fmt.Errorf("%w; the server at %s that another apitrace keeps running has ended, or answers no more (look at the terminal of \"apitrace serve\"); run it again, and one is started", err, server.BaseURL)
	}
	return err
}

// stopServer stops the server even if ctx has ended.
func stopServer(ctx context.Context, server *apiserver.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return server.Stop(ctx)
}
