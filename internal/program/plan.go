package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A Plan is what Build would do.
type Plan struct {
	Program Program
	// Workspace, Build and GoCache are the folders that would be written.
	Workspace, Build, GoCache string
	// Binary is the executable that would be made.
	Binary string
	// Cached is set when the binary is there already, so that nothing would be done.
	Cached bool
	// HasWorkspace is set when the workspace is there, so that only the build is left to do.
	HasWorkspace bool
	// Instrumented tells whether source would be rewritten.
	Instrumented bool
	// Commands are the commands in their order; none for what is cached, and none without Go.
	Commands []Command
	// NoGo is what is wrong with the toolchain that the build needs, nil if nothing is, or the binary is cached.
	// The commands then are not known, and Binary has "<key>" in it.
	NoGo error
	// Upstream is what would be built; its Sum is "" when the module has to be
	// resolved first, and the paths then have "<key>" where its content would decide.
	Upstream Upstream
}

// unknownKey stands in a plan for the key of content that is not known yet.
const unknownKey = "<key>-------"

// MakePlan says what Build would do. It writes nothing and does not use the network. Of what the cache lacks it
// knows less without Go: the commands and the folder of the build depend on the toolchain.
func MakePlan(ctx context.Context, p Program, o Options) (*Plan, error) {
	toolchain, noGo := FindToolchain(ctx)
	up, err := o.Cache.recordedUpstream(p.Module, p.Version)
	resolved := err == nil
	if noGo != nil && (errors.As(noGo, new(*tempDirError)) || ctx.Err() != nil) {
		return nil, noGo
	}
	b := &build{program: p, cache: o.Cache, rewrite: o.Rewrite, toolchain: toolchain, noGo: noGo, upstream: up}
	if resolved {
		if b, err = newBuild(ctx, p, o, newReporter(nil, p)); err != nil {
			return nil, err
		}
	} else {
		b.upstream = Upstream{Module: p.Module, Version: p.Version}
		b.workspace = unknownDir(o.Cache, KindWorkspace, p)
	}
	if b.dir == "" {
		b.dir = unknownDir(o.Cache, KindBuild, p)
	}
	plan := &Plan{
		Program: p, Workspace: b.workspace, Build: b.dir, GoCache: o.Cache.goCache(),
		Binary: filepath.Join(b.dir, p.Name), Instrumented: o.Rewrite != nil, Upstream: b.upstream,
	}
	_, binaryErr := b.verify()
	_, workspaceErr := check(b.workspace, b.workspaceKey, func(string) bool { return false })
	plan.Cached, plan.HasWorkspace = resolved && binaryErr == nil, resolved && workspaceErr == nil
	switch {
	case plan.Cached:
	case b.noGo != nil: // there is none, or it is too old for the program
		plan.NoGo = b.noGo
	default:
		plan.Commands = b.commands(resolved, plan.HasWorkspace)
	}
	return plan, nil
}

// unknownDir is the folder of an entry whose key is not known.
func unknownDir(c *Cache, kind Kind, p Program) string {
	return strings.TrimRight(c.entryDir(kind, p, unknownKey), "-")
}

// commands gives what a build runs: all of it, or what is left to do.
func (b *build) commands(resolved, hasWorkspace bool) []Command {
	var cmds []Command
	if !resolved || !hasWorkspace {
		cmds = append(cmds, b.toolchain.downloadCommand(b.cache, b.program.Module, b.program.Version))
		cmds = append(cmds, b.workspaceCommands()...)
		for _, g := range b.program.Generate {
			cmds = append(cmds, b.generateCommands(g, plannedPackages)...)
		}
	}
	return append(cmds, b.listCommand(), b.buildCommand())
}

// Write prints the plan as a shell script that people can read, in the language of the printer, and, but for the
// generated files, run.
func (p *Plan) Write(w io.Writer, in message.Printer) error {
	var out strings.Builder
	for _, line := range p.heading() {
		fmt.Fprintln(&out, "#", line.In(in.Lang()))
	}
	if !p.Cached {
		for i, c := range p.Commands {
			p.writeCommand(&out, in, i, c)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// heading says what would be built, and what is there already.
func (p *Plan) heading() []message.Message {
	lines := []message.Message{message.Of("%s, plain", p.Program), message.Of("workspace: %s", p.Workspace), message.Of("binary:    %s", p.Binary)}
	if p.Instrumented {
		lines[0] = message.Of("%s, instrumented", p.Program)
	}
	if p.HasWorkspace {
		lines[1] = message.Of("workspace: %s (there)", p.Workspace)
	}
	if p.Cached {
		lines[2] = message.Of("binary:    %s (there: nothing to do)", p.Binary)
		return lines
	}
	lines = append(lines, message.Of("Go's build cache: %s", p.GoCache), message.Of("disk space needed: about %s", FormatBytes(p.Program.Space)))
	if p.NoGo != nil {
		lines = append(lines, message.Of("the commands depend on Go, which this build needs: %v", p.NoGo))
	}
	return lines
}

func (p *Plan) writeCommand(out *strings.Builder, in message.Printer, i int, c Command) {
	if c.Stage == StageTidy {
		ours := leashFile
		if len(p.Program.Generate) > 0 {
			ours += ", " + toolsFile
		}
		wrote := in.Sprintf("write go.mod, main.go (a copy of upstream's %s) and %s to the workspace", p.Program.Main, ours)
		if main := p.Program.MainFolder(); main != "" {
			wrote = in.Sprintf("write go.mod and %s to the workspace, and %s when the vendor folder is there", toolsFile, leashIn(main))
		}
		fmt.Fprint(out, "\n# ", wrote, "\n")
	}
	if p.Instrumented && c.Stage == StageCompile && (i == 0 || p.Commands[i-1].Stage != StageCompile) {
		fmt.Fprint(out, "\n# ", in.Sprintf("rewrite vendored files to %s", filepath.Join(p.Build, overlayDir)), "\n")
	}
	fmt.Fprintf(out, "\n# %s\ncd %s\n", c.Purpose.In(in.Lang()), text.ShellWord(c.Dir))
	if c.Inherit != nil {
		fmt.Fprint(out, "env -i")
		for _, name := range c.Inherit {
			fmt.Fprintf(out, " %s=\"$%s\"", name, name)
		}
	} else {
		fmt.Fprint(out, "env")
	}
	for _, kv := range c.Set {
		fmt.Fprintf(out, " \\\n    %s", text.ShellWord(kv))
	}
	fmt.Fprint(out, " \\\n ")
	for _, arg := range c.Args {
		fmt.Fprintf(out, " %s", text.ShellWord(arg))
	}
	fmt.Fprintln(out)
}
