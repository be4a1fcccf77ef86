package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// resolveTimeout is how long examineModules waits for modules.
const resolveTimeout = 30 * time.Second

// A Finding is the result of one check of the machine.
type Finding struct {
	// What is the checked subject, such as "Go toolchain".
	What message.Message
	// Good describes the result if the check passed.
	Good message.Message
	// Bad is nil if the check passed, else the problem and its solution.
	Bad error
}

// Localize returns the finding as a line.
func (f Finding) Localize(p message.Printer) string {
	if f.Bad != nil {
		return p.Sprintf("[!!] %s: %s", f.What, f.Bad)
	}
	return p.Sprintf("[ok] %s: %s", f.What, f.Good)
}

// examine checks whether this machine can trace a release.
func examine(ctx context.Context, k8sVersion string) ([]Finding, error) {
	version, err := apiserver.ParseVersion(k8sVersion)
	if err != nil {
		return nil, err
	}
	findings := []Finding{examineToolchain(ctx, version)}
	cache, entries, err := cacheEntries()
	if err != nil {
		return append(findings, Finding{What: message.Of("cache"), Bad: err}), nil
	}
	return append(findings,
		examineCache(cache, entries),
		examineServed(cache),
		examineState(),
		examineBuild(entries, version),
		examineSample(entries, version),
		examineSpace(cache, entries, version),
		examineModules(ctx, cache, version),
		ExaminePorts(),
		examineLeftovers(),
	), nil
}

// examineToolchain looks for Go. A built release needs none.
func examineToolchain(ctx context.Context, version string) Finding {
	f := Finding{What: message.Of("Go toolchain")}
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		if _, _, keyErr := apiserver.Key(ctx, apiserver.BuildOptions{Version: version}); keyErr == nil {
			f.Good = message.Of("none; %s is in the cache and needs none, but edits and other releases do (%v)", version, err)
			return f
		}
		f.Bad = err
		return f
	}
	f.Good = message.Of("%s at %s", toolchain.Version, toolchain.Go)
	return f
}

func examineCache(cache *program.Cache, entries []program.Entry) Finding {
	f := Finding{What: message.Of("cache")}
	var unfinished []string
	for _, e := range entries {
		if !e.Complete {
			unfinished = append(unfinished, e.Dir)
		}
	}
	var size int64
	for _, kind := range program.Kinds {
		size += sizeOf(entries, kind)
	}
	f.Good = message.Of("%s in %d entries below %s (%s moves it)", program.FormatBytes(size), len(entries), cache.Root, program.CacheEnv)
	if len(unfinished) > 0 { // not an error: the next build makes them again, and a build may be in progress
		f.Good = message.Of("%s; %d of them unfinished: a build is in progress or was interrupted (the next build removes what interrupted builds have left)", f.Good, len(unfinished))
	}
	return f
}

// examineServed counts the servers that "apitrace serve" keeps running. Each cache has
// its own servers.
func examineServed(cache *program.Cache) Finding {
	f := Finding{What: message.Of("servers that are kept running")}
	servers, err := apiserver.Served(cache)
	if err != nil {
		f.Bad = err
		return f
	}
	f.Good = message.Of("%d of this cache; a cache at another %s has its own servers", len(servers), program.CacheEnv)
	return f
}

// examineState names the folder of the edits and the course's progress.
func examineState() Finding {
	f := Finding{What: message.Of("your edits and progress")}
	dir, err := program.StateDir()
	if err != nil {
		f.Bad = err
		return f
	}
	f.Good = message.Of("below %s; another %s has its own edits and progress", dir, program.StateEnv)
	return f
}

// isBuilt reports whether the cache has a traced build of a program. If that build has
// another guide, the next run still builds the program again.
func isBuilt(entries []program.Entry, p program.Program) bool {
	return slices.ContainsFunc(entries, func(e program.Entry) bool {
		return e.Kind == program.KindBuild && e.Program == p.Name && e.Version == p.Version && e.Instrumented && e.Complete
	})
}

func examineBuild(entries []program.Entry, version string) Finding {
	f := Finding{What: message.Of("build of %s", version), Good: message.Of("in the cache")}
	if !isBuilt(entries, apiserver.Program(version)) {
		f.Good = message.Of("not yet; the first run builds it, in a few minutes")
	}
	return f
}

func examineSample(entries []program.Entry, version string) Finding {
	p := apiserver.SampleProgram(version)
	f := Finding{What: message.Of("build of %s", p), Good: message.Of("in the cache")}
	if !isBuilt(entries, p) {
		f.Good = message.Of("not yet; the first scenario with an aggregated server builds it, in a minute or two")
	}
	return f
}

func examineSpace(cache *program.Cache, entries []program.Entry, version string) Finding {
	f := Finding{What: message.Of("disk")}
	free, err := program.FreeSpace(cache.Root)
	if err != nil {
		f.Bad = err
		return f
	}
	need := apiserver.Space()
	if free < need && !isBuilt(entries, apiserver.Program(version)) {
		f.Bad = &program.SpaceError{Program: apiserver.Program(version), Dir: cache.Root, Free: free, Need: need}
		return f
	}
	f.Good = message.Of("%s free; a build with an empty cache needs about %s", program.FormatBytes(free), program.FormatBytes(need))
	return f
}

func examineModules(ctx context.Context, cache *program.Cache, version string) Finding {
	f := Finding{What: message.Of("modules")}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	module := apiserver.Program(version).Module
	switch _, err := program.Resolve(ctx, cache, module, version); {
	case errors.As(err, new(*program.NoGoError)):
		f.Good = message.Of("not checked: the Go toolchain fetches them")
		return f
	case err != nil:
		f.Bad = message.Errorf("%s %s is not available: %w; check the network and GOPROXY (\"go env GOPROXY\")", module, version, err)
		return f
	}
	f.Good = message.Of("%s %s is available", module, version)
	return f
}

// ExaminePorts checks whether servers can listen on this machine.
func ExaminePorts() Finding {
	f := Finding{What: message.Of("ports")}
	if _, err := program.FreePort(); err != nil {
		f.Bad = message.Errorf("%w; the servers listen on 127.0.0.1: does this machine have a loopback interface?", err)
		return f
	}
	f.Good = message.Of("the servers can listen on 127.0.0.1")
	return f
}

// examineLeftovers removes leftovers of killed runs, as the next run would.
func examineLeftovers() Finding {
	f := Finding{What: message.Of("leftovers of killed runs"), Good: message.Of("none")}
	if swept := program.SweepRunDirs(); len(swept) > 0 {
		f.Good = message.Of("removed %s", message.List(swept))
	}
	return f
}

// WriteFindings examines the machine for a release and writes the findings. It
// returns an error if a check failed.
func WriteFindings(ctx context.Context, k8sVersion string, w io.Writer, p message.Printer) error {
	findings, err := examine(ctx, k8sVersion)
	if err != nil {
		return err
	}
	if wrong := PrintFindings(w, p, findings...); wrong > 0 {
		return message.Errorf("%d of %d checks failed", wrong, len(findings))
	}
	return nil
}

// PrintFindings writes a line for each finding, and returns how many checks failed.
func PrintFindings(w io.Writer, p message.Printer, findings ...Finding) (wrong int) {
	for _, f := range findings {
		if f.Bad != nil {
			wrong++
		}
		fmt.Fprintln(w, f.Localize(p))
	}
	return wrong
}
