package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A Plan describes what Build would do.
type Plan struct {
	Program Program
	// Workspace, Build and GoCache are the folders to write.
	Workspace, Build, GoCache string
	// Binary is the executable that Build would make.
	Binary string
	// Cached is set if the binary is in the cache. Build then does nothing.
	Cached bool
	// HasWorkspace is set if the workspace is in the cache.
	HasWorkspace bool
	// Instrumented is set if Build would rewrite source.
	Instrumented bool
	// Commands are the build's commands, in order. Parts in the cache need no
	// commands. Without Go, no commands are known.
	Commands []Command
	// NoGo is set if the build needs a toolchain, but there is no usable one.
	// The commands are then not known, and Binary contains "<key>".
	NoGo error
	// Upstream is the module version to build. If it is not resolved yet, Sum is "", and
	// paths contain "<key>" for the key of the content.
	Upstream Upstream
}

// unknownKey stands for a key that is not known yet.
const unknownKey = "<key>-------"

// MakePlan describes what Build would do. It writes nothing and does not use the network.
// Without Go, the plan of an uncached build lacks the commands and the folder, which
// depend on the toolchain.
func MakePlan(ctx context.Context, p Program, o Options) (*Plan, error) {
	toolchain, noGo := FindToolchain(ctx)
	up, err := o.Cache.recordedUpstream(p.Module, p.Version)
	resolved := err == nil
	if noGo != nil && (errors.As(noGo, new(*tempDirError)) || ctx.Err() != nil) {
		return nil, noGo
	}
	b := &build{program: p, cache: o.Cache, rewrite: o.Rewrite, debuggable: o.Debuggable, toolchain: toolchain, noGo: noGo, upstream: up}
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
	case b.noGo != nil: // Go is missing, or too old for the program
		plan.NoGo = b.noGo
	default:
		plan.Commands = b.commands(resolved, plan.HasWorkspace)
	}
	return plan, nil
}

// unknownDir returns an entry's folder with "<key>" in place of its key.
func unknownDir(c *Cache, kind Kind, p Program) string {
	return strings.TrimRight(c.entryDir(kind, p, unknownKey), "-")
}

// commands returns the commands that a build still needs.
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

// Write prints the plan as a shell script, with comments in the printer's language.
// The comments also name the files that apitrace itself writes.
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

// heading describes the program, its folders, and the parts in the cache.
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
		lines = append(lines, message.Of("the commands cannot be listed without Go: %v", p.NoGo))
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
	if i > 0 && p.Commands[i-1].Stage == StageVendor {
		for _, change := range p.Program.Changes {
			fmt.Fprint(out, "\n# ", in.Sprintf("in %s, replace %q by %q", path.Join("vendor", change.File), change.Old, change.New), "\n")
		}
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
