package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/internal/funcname"
)

// Options selects the source to rewrite.
type Options struct {
	Guide *Guide
	// Program is the program's name in the guide.
	Program string
	// Version is the program's version: "v1.37.1".
	Version string
	// Vendor is the vendor folder with the pristine source, in the workspace's folder.
	// The files of a package are in Vendor/<import path>.
	Vendor string
	// Out is an existing folder for the changed copies.
	Out string
	// Edited holds the user's edits of files, by the path below Vendor, with slashes.
	// The overlay includes every edited file, with or without a span.
	Edited map[string]EditedFile
}

// An EditedFile is a text that replaces upstream's text of a file.
type EditedFile struct {
	// Path is the file that the user edits. Errors name it.
	Path string
	Text []byte
}

// A Result is the output of Rewrite.
type Result struct {
	// Overlay maps the absolute path of a file in the workspace to the path of its
	// replacement, for "go build -overlay". The file in the workspace need not exist.
	// Overlay includes the probe.
	Overlay map[string]string
	// Files counts the source files that were changed.
	Files int
	// Functions lists the functions with a span, ordered by name.
	Functions []Function
}

// A Function is a function with its place in the source.
type Function struct {
	// Name is the full name, as the compiler names the function when nothing is inlined:
	// "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get",
	// "k8s.io/apiserver/pkg/endpoints/handlers.createHandler.func1.2".
	Name string
	// File is the import path, a slash and the file's name.
	File string
	// Line is the line of the word "func".
	Line int
}

// Rewrite instruments a program. It reads source files below Options.Vendor and writes
// changed copies below Options.Out.
//
// If this version lacks a function, parameter or package that the guide names, Rewrite
// returns an error with its name.
func Rewrite(opts Options) (*Result, error) {
	prog := opts.Guide.Programs[opts.Program]
	if prog == nil {
		return nil, fmt.Errorf("the guide has no program %q", opts.Program)
	}
	vendor, err := filepath.Abs(opts.Vendor)
	if err != nil {
		return nil, err
	}
	opts.Vendor = vendor
	edited, err := editedOverlay(opts)
	if err != nil {
		return nil, err
	}
	p := newPlan(opts, prog)
	dirs, err := findPackages(opts, prog)
	if err != nil {
		return nil, err
	}
	res := &Result{Overlay: edited}
	pkgs := make([]*rewrittenPackage, len(dirs))
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, dir := range dirs {
		workers.Go(func() error {
			var err error
			if pkgs[i], err = p.rewritePackage(dir); err != nil {
				return fmt.Errorf("instrumenting %s %s: %w", opts.Program, opts.Version, err)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	for _, pkg := range pkgs {
		res.add(pkg)
	}
	slices.SortFunc(res.Functions, func(a, b Function) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Line, b.Line))
	})
	if err := p.checkAllFound(); err != nil {
		return nil, err
	}
	return res, addProbe(opts, res.Overlay)
}

func (r *Result) add(pkg *rewrittenPackage) {
	for pristine, changed := range pkg.overlay {
		r.Overlay[pristine] = changed
	}
	r.Files += pkg.files
	r.Functions = append(r.Functions, pkg.functions...)
}

// checkAllFound returns an error for each function that the guide names and the program
// lacks.
func (p *plan) checkAllFound() error {
	var missing []error
	for _, name := range p.requiredFunctions() {
		if _, ok := p.found.Load(name); ok {
			continue
		}
		if edited := editedIn(p.opts, funcname.Package(name)); len(edited) > 0 {
			missing = append(missing, fmt.Errorf("%s %s has no function %q any more, which tracing needs: of its package, %s was edited; leave the function its name and receiver", p.opts.Program, p.opts.Version, name, strings.Join(edited, ", ")))
		} else {
			missing = append(missing, fmt.Errorf("%s %s has no function %q, which the guide names: if another release has it, give the entry \"since\" or \"until\"", p.opts.Program, p.opts.Version, name))
		}
	}
	return errors.Join(missing...)
}

// ProbePath is the import path of the probe, in apitrace and in traced programs.
const ProbePath = "github.com/kubeapitrace/apitrace/instrument/probe"

// addProbe writes the probe's source next to the changed copies and maps it into the
// workspace. The workspace's main module has apitrace's own path.
func addProbe(opts Options, overlay map[string]string) error {
	files, err := ownSource.ReadDir("probe")
	if err != nil {
		return err
	}
	dir := filepath.Join(opts.Out, "probe")
	inWorkspace := filepath.Join(filepath.Dir(opts.Vendor), "instrument", "probe")
	// The assembler runs in the package's folder, so this folder must exist.
	for _, d := range []string{dir, inWorkspace} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	for _, f := range files {
		if matched, _ := filepath.Match("*_test.go", f.Name()); matched {
			continue
		}
		content, err := ownSource.ReadFile("probe/" + f.Name())
		if err != nil {
			return err
		}
		changed := filepath.Join(dir, f.Name())
		if err := os.WriteFile(changed, content, 0o600); err != nil {
			return err
		}
		overlay[filepath.Join(inWorkspace, f.Name())] = changed
	}
	return nil
}
