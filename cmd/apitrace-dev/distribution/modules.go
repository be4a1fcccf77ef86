package distribution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is a part of the program: a Go module, Go's standard library, or Preact.
type module struct {
	Path, Version string
	// Sum is the checksum from go.sum. It is "" for apitrace itself, Go's standard
	// library and Preact.
	Sum string
	Dir string
	// registry is the type part of the package URL (purl): "npm" for Preact. "" means
	// "golang".
	registry string
	// licences are the module's licence files, with their names in the archive.
	licences []file
	// imports are the sorted paths of the other modules that the module's packages
	// import. apitrace's own list also has Preact.
	imports []string
}

// standardLibrary is the module path of Go's own packages. Vulnerability databases use
// the same name.
const standardLibrary = "std"

// A listedPackage is a package as "go list -json" describes it.
type listedPackage struct {
	Dir        string
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *module
}

// modules returns the modules of the program's packages, and Preact, sorted by path,
// with their licences. It returns an error if a module has no licence.
func (p *program) modules(ctx context.Context, folder string) ([]*module, error) {
	packages, err := p.packages(ctx, folder)
	if err != nil {
		return nil, err
	}
	goRoot, err := goEnv(ctx, "GOROOT")
	if err != nil {
		return nil, err
	}
	byPath, owner := map[string]*module{}, map[string]string{}
	folders := map[string][]string{} // the folders of packages, by module path
	for _, listed := range packages {
		m := listed.module(p.info.GoVersion, goRoot)
		if byPath[m.Path] == nil {
			byPath[m.Path] = m
		}
		owner[listed.ImportPath] = m.Path
		folders[m.Path] = append(folders[m.Path], listed.Dir)
	}
	for _, listed := range packages {
		m := byPath[owner[listed.ImportPath]]
		for _, imported := range listed.Imports {
			if to := owner[imported]; to != "" && to != m.Path && !slices.Contains(m.imports, to) {
				m.imports = append(m.imports, to)
			}
		}
	}
	if err := p.checkAgainstBuild(byPath); err != nil {
		return nil, err
	}
	preact, err := preactModule(folder)
	if err != nil {
		return nil, err
	}
	byPath[preact.Path], folders[preact.Path] = preact, []string{preact.Dir}
	byPath[modulePath].imports = append(byPath[modulePath].imports, preact.Path)
	var all []*module
	for _, m := range byPath {
		slices.Sort(m.imports)
		if m.licences, err = m.readLicences(folders[m.Path]); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *module) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// packages lists the program's packages for its platform.
func (p *program) packages(ctx context.Context, folder string) ([]listedPackage, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,ImportPath,Imports,Standard,Module", "./cmd/apitrace")
	list.Dir, list.Env, list.Stderr = folder, p.environment(), os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages for %s: %w", p.platform, err)
	}
	var all []listedPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var one listedPackage
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// goEnv returns a setting of the go command.
func goEnv(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// module returns the module of a package.
func (l *listedPackage) module(goVersion, goRoot string) *module {
	if l.Standard {
		return &module{Path: standardLibrary, Version: strings.TrimPrefix(goVersion, "go"), Dir: goRoot}
	}
	m := *l.Module
	return &m
}

// checkAgainstBuild returns an error unless the dependencies in the program's build
// information have the same paths and versions as the modules, and none is replaced. It
// also sets the checksums of the dependencies, and the version of apitrace itself.
func (p *program) checkAgainstBuild(modules map[string]*module) error {
	modules[modulePath].Version = p.version
	for _, built := range p.info.Deps {
		m := modules[built.Path]
		if m == nil || m.Version != built.Version || built.Replace != nil {
			return fmt.Errorf("the program was built with %s %s, but \"go list\" reports another version or none, or the module is replaced", built.Path, built.Version)
		}
		m.Sum = built.Sum
	}
	if expected := len(p.info.Deps) + 2; len(modules) != expected { // Deps lacks apitrace itself and the standard library
		return fmt.Errorf("the program's packages belong to %d modules, expected %d: apitrace, Go's standard library, and the dependencies in the build information", len(modules), expected)
	}
	return nil
}

var preactVersion = regexp.MustCompile(`^/\*! With Preact (\S+),`)

// preactModule returns Preact, a part of the page's bundle.
func preactModule(folder string) (*module, error) {
	page := filepath.Join(folder, "ui", "web", "page")
	bundle, err := os.ReadFile(filepath.Join(page, "dist", "page.js"))
	if err != nil {
		return nil, err
	}
	version := preactVersion.FindSubmatch(bundle)
	if version == nil {
		return nil, errors.New("ui/web/page/dist/page.js does not begin with the version of Preact")
	}
	return &module{Path: "preact", Version: string(version[1]), Dir: filepath.Join(page, "preact"), registry: "npm"}, nil
}

// licenceName matches the names of files with licences and notices. Most licences
// require that every copy of the software includes these files.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents|authors|unlicense)([._-].*)?$`)

// noLicence matches the names of notices, patent files and lists of authors. Such a
// file alone does not allow anyone to copy the software.
var noLicence = regexp.MustCompile(`(?i)^(notice|patents|authors)([._-].*)?$`)

// isLicence reports whether the file is a licence, not only a notice.
func (f file) isLicence() bool { return !noLicence.MatchString(path.Base(f.name)) }

// readLicences returns the licence files in the packages' folders, and in all folders
// above them up to the module's. It returns an error if there is no licence.
func (m *module) readLicences(folders []string) ([]file, error) {
	seen := map[string]bool{}
	var files []file
	for _, folder := range append(folders, m.Dir) {
		for !seen[folder] && (folder == m.Dir || strings.HasPrefix(folder, m.Dir+string(filepath.Separator))) {
			seen[folder] = true
			entries, err := os.ReadDir(folder)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if !e.Type().IsRegular() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
					continue
				}
				inside, err := filepath.Rel(m.Dir, filepath.Join(folder, e.Name()))
				if err != nil {
					return nil, err
				}
				files = append(files, file{name: path.Join("licenses", m.Path, filepath.ToSlash(inside)), path: filepath.Join(folder, e.Name())})
			}
			folder = filepath.Dir(folder)
		}
	}
	if !slices.ContainsFunc(files, file.isLicence) {
		return nil, fmt.Errorf("%s %s has no licence in %s: a release must contain the licences of all its parts", m.Path, m.Version, m.Dir)
	}
	return files, nil
}
