package program

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Generator makes source in the workspace's vendor folder. Upstream's own build
// generates this source before compiling, so released modules lack it.
type Generator struct {
	// Tool is the import path of the generator's package main. The workspace has it in
	// the version that upstream's go.mod requires for its module.
	Tool string
	// Marker begins a comment in packages that need the source: "+k8s:openapi-gen=".
	// Packages that only mention it, as Tool's do, do not count.
	Marker string
	// Args are the tool's arguments. "${packages}" stands for the import paths of the
	// packages with the Marker, joined by commas, "${vendor}" for the vendor folder, and
	// "${empty}" for an empty file.
	Args []string
}

const (
	// toolsFile imports packages main, so that "go mod vendor" copies them. Its build
	// tag keeps it out of every binary.
	toolsFile = "apitrace_tools.go"
	// generateDir is a folder of the workspace that exists while generators run.
	generateDir = "generate"
)

// toolsSource is the content of toolsFile.
func toolsSource(tools []string) []byte {
	var b bytes.Buffer
	b.WriteString("//go:build apitrace_tools\n\npackage main\n\nimport (\n")
	for _, tool := range tools {
		fmt.Fprintf(&b, "\t_ %q\n", tool)
	}
	b.WriteString(")\n")
	return b.Bytes()
}

// generate runs the program's generators. The workspace must have its vendor folder.
func (b *build) generate(ctx context.Context) error {
	if len(b.program.Generate) == 0 {
		return nil
	}
	gopath := filepath.Join(b.workspace, generateDir)
	defer os.RemoveAll(gopath)
	if err := os.MkdirAll(gopath, 0o700); err != nil {
		return err
	}
	// These old generators find packages in $GOPATH/src, and a vendor folder has the
	// same layout.
	if err := os.Symlink(b.vendor(), filepath.Join(gopath, "src")); err != nil {
		return err
	}
	for _, g := range b.program.Generate {
		packages, err := g.marked(b.vendor())
		if err != nil {
			return err
		}
		for _, cmd := range b.generateCommands(g, strings.Join(packages, ",")) {
			b.progress.stage(cmd.Stage, 0)
			if err := cmd.run(ctx, b.progress.item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *build) vendor() string { return filepath.Join(b.workspace, "vendor") }

// marked lists the vendored packages with the Marker.
func (g Generator) marked(vendor string) ([]string, error) {
	var packages []string
	err := filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".go" {
			return err
		}
		rel, err := filepath.Rel(vendor, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		if slices.Contains(packages, pkg) {
			return nil
		}
		text, err := os.ReadFile(file)
		if g.markedIn(text) {
			packages = append(packages, pkg)
		}
		return err
	})
	if err == nil && len(packages) == 0 {
		err = message.Errorf("no package has the comment %q, for which %s generates source", g.Marker, g.Tool)
	}
	return packages, err
}

// markedIn reports whether a comment at the beginning of a line begins with the
// marker. Upstream's build looks for such comments, too.
func (g Generator) markedIn(text []byte) bool {
	for line := range bytes.Lines(text) {
		if comment, ok := bytes.CutPrefix(line, []byte("//")); ok && bytes.HasPrefix(bytes.TrimLeft(comment, " "), []byte(g.Marker)) {
			return true
		}
	}
	return false
}

// plannedPackages stands for the marked packages in a plan. They are not known before
// the vendor folder exists.
const plannedPackages = "PACKAGES"

// generateCommands returns the commands that compile and run a generator.
func (b *build) generateCommands(g Generator, packages string) []Command {
	gopath := filepath.Join(b.workspace, generateDir)
	tool := filepath.Join(gopath, path.Base(g.Tool))
	compile := b.goCommand(message.Of("compile the generator of source that upstream's module lacks"), "build", "-mod=vendor", "-buildvcs=false", "-o", tool, g.Tool)
	compile.Stage = StageGenerate
	run := compile
	run.Purpose = message.Of("generate that source: %s stands for the packages with the comment %q, and $GOPATH/src is the vendor folder", plannedPackages, g.Marker)
	run.Args = []string{tool}
	in := strings.NewReplacer("${packages}", packages, "${vendor}", b.vendor(), "${empty}", os.DevNull)
	for _, arg := range g.Args {
		run.Args = append(run.Args, in.Replace(arg))
	}
	run.Set = assignments(append(b.toolchain.generateSettings(), setting{"GOPATH", gopath}))
	run.Env = append(inherit(buildInherited), run.Set...)
	return []Command{compile, run}
}
