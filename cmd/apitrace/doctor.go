package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// resolveTimeout is how long doctor waits for the place that modules come from.
const resolveTimeout = 30 * time.Second

// doctorOptions say for which version the machine is examined.
type doctorOptions struct {
	server serverFlags
}

func newDoctorCommand(std *streams) *cobra.Command {
	o := &doctorOptions{}
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine has what apitrace needs",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.server.validate(); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	o.server.addVersion(command)
	return command
}

// A finding is what an examination has found.
type finding struct {
	// what was examined: "Go toolchain".
	what string
	// good is what is as it should be; "" if something is not.
	good string
	// bad says what is wrong and what to do.
	bad error
}

func (o *doctorOptions) run(ctx context.Context, std *streams) error {
	findings, err := o.examine(ctx)
	if err != nil {
		return err
	}
	wrong := 0
	for _, f := range findings {
		if f.bad != nil {
			wrong++
			fmt.Fprintf(std.out, "[!!] %s: %v\n", f.what, f.bad)
			continue
		}
		fmt.Fprintf(std.out, "[ok] %s: %s\n", f.what, f.good)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d checks failed", wrong, len(findings))
	}
	return nil
}

func (o *doctorOptions) examine(ctx context.Context) ([]finding, error) {
	version, err := apiserver.ParseVersion(o.server.Version)
	if err != nil {
		return nil, err
	}
	findings := []finding{examineToolchain(ctx)}
	cache, entries, err := cacheEntries()
	if err != nil {
		return append(findings, finding{what: "cache", bad: err}), nil
	}
	return append(findings,
		examineCache(cache, entries),
		examineBuild(entries, version),
		examineSample(entries, version),
		examineSpace(cache, entries, version),
		examineModules(ctx, cache, version),
		examinePorts(),
		examineLeftovers(),
	), nil
}

func examineToolchain(ctx context.Context) finding {
	f := finding{what: "Go toolchain"}
	toolchain, err := program.FindToolchain(ctx)
	if err != nil {
		f.bad = err
		return f
	}
	f.good = fmt.Sprintf("%s at %s", toolchain.Version, toolchain.Go)
	return f
}

func examineCache(cache *program.Cache, entries []program.Entry) finding {
	f := finding{what: "cache"}
	var unfinished []string
	for _, e := range entries {
		if !e.Complete {
			unfinished = append(unfinished, e.Dir)
		}
	}
	var size int64
	for _, kind := range kinds {
		size += sizeOf(entries, kind)
	}
	f.good = fmt.Sprintf("%s in %d entries below %s", program.FormatBytes(size), len(entries), cache.Root)
	if len(unfinished) > 0 { // no fault: the next build makes them again, and one may be going on
		f.good += fmt.Sprintf("; %d of them unfinished, by a build that goes on or was interrupted: \"apitrace cache clean --unfinished\" removes the latter", len(unfinished))
	}
	return f
}

// isBuilt tells whether a program that can be traced is in the cache. It may still be
// one of another guide, and then has to be built anew.
func isBuilt(entries []program.Entry, p program.Program) bool {
	return slices.ContainsFunc(entries, func(e program.Entry) bool {
		return e.Kind == program.KindBuild && e.Program == p.Name && e.Version == p.Version && e.Instrumented && e.Complete
	})
}

func examineBuild(entries []program.Entry, version string) finding {
	f := finding{what: "build of " + version, good: "in the cache"}
	if !isBuilt(entries, apiserver.Program(version)) {
		f.good = "not yet; the first run makes it, in some minutes"
	}
	return f
}

func examineSample(entries []program.Entry, version string) finding {
	p := apiserver.SampleProgram(version)
	f := finding{what: "build of " + p.String(), good: "in the cache"}
	if !isBuilt(entries, p) {
		f.good = "not yet; the first scenario with an aggregated server makes it, in a minute or two"
	}
	return f
}

func examineSpace(cache *program.Cache, entries []program.Entry, version string) finding {
	f := finding{what: "disk"}
	free, err := program.FreeSpace(cache.Root)
	if err != nil {
		f.bad = err
		return f
	}
	need := apiserver.Program(version).Space
	if free < need && !isBuilt(entries, apiserver.Program(version)) {
		f.bad = &program.SpaceError{Program: apiserver.Program(version), Dir: cache.Root, Free: free, Need: need}
		return f
	}
	f.good = fmt.Sprintf("%s free, a build from nothing needs about %s", program.FormatBytes(free), program.FormatBytes(need))
	return f
}

func examineModules(ctx context.Context, cache *program.Cache, version string) finding {
	f := finding{what: "modules"}
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	module := apiserver.Program(version).Module
	if _, err := program.Resolve(ctx, cache, module, version); err != nil {
		f.bad = fmt.Errorf("%s %s is not to be had: %w; check the network and GOPROXY (\"go env GOPROXY\")", module, version, err)
		return f
	}
	f.good = fmt.Sprintf("%s %s can be had", module, version)
	return f
}

func examinePorts() finding {
	f := finding{what: "ports"}
	if _, err := program.FreePort(); err != nil {
		f.bad = fmt.Errorf("%w; the servers listen on 127.0.0.1: does this machine have a loopback interface?", err)
		return f
	}
	f.good = "the servers can listen on 127.0.0.1"
	return f
}

// examineLeftovers removes what killed runs have left, as the next run would.
func examineLeftovers() finding {
	f := finding{what: "leftovers of killed runs", good: "none"}
	if swept := program.SweepRunDirs(); len(swept) > 0 {
		f.good = "removed " + strings.Join(swept, ", ")
	}
	return f
}
