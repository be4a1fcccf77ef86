package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
)

// A rewrittenPackage is the result of rewriting one package.
type rewrittenPackage struct {
	overlay   map[string]string
	files     int
	functions []Function
}

// sitesFile is the name of the file with a package's table of functions. Each package has
// its own table, so a change in one package does not rebuild the others.
//
// Go initialises variables in the order of the files. The initialisation of a variable
// may call an instrumented function, which needs the table. So the name sorts first.
const sitesFile = "0_apitrace_sites.go"

func (p *plan) rewritePackage(dir packageDir) (*rewrittenPackage, error) {
	fset := token.NewFileSet()
	files, err := parsePackage(fset, dir.dir, p.opts.parseFile)
	if err != nil {
		return nil, err
	}
	pkg := &packageRewriter{plan: p, dir: dir, names: newPackageNames(files), globals: numberGlobals(fset, files), out: &rewrittenPackage{overlay: map[string]string{}}}
	for _, f := range files {
		if err := pkg.rewriteFile(f); err != nil {
			return nil, err
		}
	}
	return pkg.out, pkg.writeSites(files)
}

// parsePackage parses the files of a package that a build for the target uses.
func parsePackage(fset *token.FileSet, dir string, parse func(*token.FileSet, string) (*sourceFile, error)) ([]*sourceFile, error) {
	names, err := sourceFiles(target(), dir)
	if err != nil {
		return nil, err
	}
	var files []*sourceFile
	for _, name := range names {
		f, err := parse(fset, name)
		if err != nil {
			return nil, err
		}
		if !f.usesCgo() {
			files = append(files, f)
		}
	}
	return files, nil
}

// A packageRewriter rewrites one package.
type packageRewriter struct {
	*plan
	dir     packageDir
	names   *packageNames
	inits   int
	globals map[*ast.FuncLit]int
	out     *rewrittenPackage
}

func (pkg *packageRewriter) rewriteFile(f *sourceFile) error {
	base := filepath.Base(f.name)
	for _, fn := range functionsOf(f.fset, f.ast, pkg.dir.path, &pkg.inits, pkg.globals) {
		pkg.found.Store(fn.name, true)
		w := &functionRewriter{packageRewriter: pkg, file: f, fn: fn}
		if !pkg.dir.linkOnly {
			w.kind = pkg.spanOf(fn, pkg.names)
		}
		if w.kind != noSpan {
			w.site = len(pkg.out.functions)
			pkg.out.functions = append(pkg.out.functions, Function{fn.name, pkg.dir.path + "/" + base, fn.line})
		}
		if err := w.rewrite(); err != nil {
			return fmt.Errorf("%s: %w", fn.name, err)
		}
	}
	if !f.changed() {
		return nil
	}
	changed, err := write(pkg.opts.Out, pkg.dir.path, base, f.rewritten())
	pkg.out.overlay[f.name] = changed
	pkg.out.files++
	return err
}

// writeSites writes the package's sitesFile.
func (pkg *packageRewriter) writeSites(files []*sourceFile) error {
	if len(pkg.out.functions) == 0 {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport apitraceProbe %q\n\nvar apitraceSites = [...]apitraceProbe.Site{\n", files[0].ast.Name.Name, ProbePath)
	for _, f := range pkg.out.functions {
		fmt.Fprintf(&b, "\t{Function: %q, File: %q, Line: %d},\n", f.Name, f.File, f.Line)
	}
	b.WriteString("}\n")
	changed, err := write(pkg.opts.Out, pkg.dir.path, sitesFile, b.Bytes())
	pkg.out.overlay[filepath.Join(pkg.dir.dir, sitesFile)] = changed
	return err
}
