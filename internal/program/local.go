package program

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Local is source on this machine to build instead of a released module: the folder
// of a module, or of a Go workspace. Nothing is written to the folder.
type Local struct {
	// Dir is the top folder.
	Dir string
	// Name is the name for people, also in errors, such as "./kubernetes@main".
	Name string
	// Release is the release closest to the source, such as "v1.37.1".
	Release string
	// Like is a release. The folder's modules are compiled with their versions in this
	// release, so that Go's build cache serves packages with the same source.
	Like string
	// Commit is the hash of the checked-out commit. Time is its time.
	Commit string
	Time   time.Time
	// Dirty is set if files differ from the commit.
	Dirty bool
	// State identifies the files before they are read, or is "". CopiedVersion finds
	// the copy of a State that CopySource has read.
	State string
	// Check returns the present State of the files; nil means that the files never change.
	Check func(context.Context) (state string, err error)
}

// ErrChanged reports that source changed while it was read.
var ErrChanged = message.NewError("the files were changed while they were read: try again")

// A LocalBuild describes the folder that an Upstream was taken from.
type LocalBuild struct {
	Dir   string `json:"dir"`
	Name  string `json:"name"`
	Dirty bool   `json:"dirty,omitempty"`
	// Folders maps each module's path to its folder relative to Dir, such as
	// "staging/src/k8s.io/api".
	Folders map[string]string `json:"folders"`
	// GoMod is the go.mod of the workspace.
	GoMod string `json:"goMod"`
}

// FileOf returns the path of a vendored file relative to Dir, or "" if the file's
// module is not in Folders.
func (l *LocalBuild) FileOf(vendored string) string {
	for dir := path.Dir(vendored); dir != "."; dir = path.Dir(dir) {
		if folder, ok := l.Folders[dir]; ok {
			return path.Join(folder, strings.TrimPrefix(vendored, dir+"/"))
		}
	}
	return ""
}

// IsLocal reports whether CopySource made the version.
func IsLocal(version string) bool { return localBuild.MatchString(semver.Build(version)) }

// localBuild matches the build metadata that Local.version makes.
var localBuild = regexp.MustCompile(`^\+[0-9a-f]{1,10}(\.dirty)?\.[0-9a-f]{8}$`)

// version returns a build's version from the checksum of its source.
func (l Local) version(sum string) string {
	label := l.Commit[:min(10, len(l.Commit))]
	if l.Dirty {
		label += ".dirty"
	}
	return l.Release + "+" + label + "." + sum[:8]
}

// CopiedVersion returns the version that CopySource gave to the source in state
// l.State. ok is false if the copy is not in the cache.
func CopiedVersion(c *Cache, p Program, l Local) (version string, ok bool) {
	if l.State == "" {
		return "", false
	}
	data, err := os.ReadFile(c.copyRecordFile(p, l))
	if err != nil {
		return "", false
	}
	p.Version = strings.TrimSpace(string(data))
	up, err := c.recordedUpstream(p.Module, p.Version)
	if err != nil || up.Local == nil {
		return "", false
	}
	key := p.workspaceKey(up, []byte(up.Local.GoMod))
	_, err = check(c.entryDir(KindWorkspace, p, key), key, func(string) bool { return false })
	return p.Version, err == nil
}

// CopyRecord returns CopySource's record for a version, even if the copy is gone.
func CopyRecord(c *Cache, p Program) (up Upstream, ok bool) {
	up, err := c.recordedUpstream(p.Module, p.Version)
	return up, err == nil && up.Local != nil
}

func (c *Cache) copyRecordFile(p Program, l Local) string {
	state := strings.Join([]string{workspaceFormat, localFormat, p.Name, l.Name, l.Release, l.Like, l.State}, "\x00")
	return filepath.Join(c.Root, localDir, hash([]byte(state))[:16])
}

const (
	// localDir is a folder in the cache. For each Local.State that CopySource has read,
	// it has a file with the version.
	localDir = "locals"
	// localFormat is part of the files' names. Raise it when CopySource changes.
	localFormat = "local 1"
)

// CopySource copies the source of a program and its dependencies from a folder to the
// cache. Build and similar functions accept the version of the returned Upstream like a
// release.
func CopySource(ctx context.Context, p Program, l Local, o Options) (Upstream, error) {
	p.Version = l.version("--------")
	p.Released = l.Name
	progress := newReporter(o.Progress, p)
	progress.stage(StageTidy, 0)
	t, err := FindToolchain(ctx)
	if err != nil {
		return Upstream{}, err
	}
	b := &build{program: p, cache: o.Cache, progress: progress, toolchain: t, upstream: Upstream{Module: p.Module, Version: p.Version, Commit: l.Commit, Time: l.Time.UTC()}}
	goMod, err := os.ReadFile(filepath.Join(l.Dir, "go.mod"))
	if err != nil {
		return b.upstream, err
	}
	b.upstream.GoMod = string(goMod)
	if err := checkGoVersion(p, t, b.upstream); err != nil {
		return b.upstream, err
	}
	packages, err := b.listLocal(ctx, l)
	if err != nil {
		return b.upstream, err
	}
	progress.stage(StageVendor, 0)
	copied, err := b.readLocal(l, packages)
	if err != nil {
		return b.upstream, err
	}
	b.upstream.Sum = hash(copied.sums())
	b.program.Version = l.version(b.upstream.Sum)
	b.upstream.Version = b.program.Version
	b.upstream.Local.Name, b.upstream.Local.Dirty = l.Name, l.Dirty
	b.workspaceKey = b.program.workspaceKey(b.upstream, []byte(b.upstream.Local.GoMod))
	b.workspace = o.Cache.entryDir(KindWorkspace, b.program, b.workspaceKey)
	if l.Check != nil {
		if state, err := l.Check(ctx); err != nil || state != l.State {
			return b.upstream, errors.Join(err, message.Errorf("%s: %w", l.Name, ErrChanged))
		}
	}
	if err := b.keepLocal(ctx, copied); err != nil {
		return b.upstream, err
	}
	if err := o.Cache.recordUpstream(b.upstream); err != nil {
		return b.upstream, err
	}
	if l.State != "" {
		if err := os.MkdirAll(filepath.Join(o.Cache.Root, localDir), 0o700); err != nil {
			return b.upstream, err
		}
		if err := writeFile(o.Cache.copyRecordFile(p, l), []byte(b.program.Version+"\n")); err != nil {
			return b.upstream, err
		}
	}
	progress.stage(StageDone, 0)
	return b.upstream, nil
}

// keepLocal writes the workspace, unless the cache has it.
func (b *build) keepLocal(ctx context.Context, copied *localCopy) error {
	unlock, err := b.cache.lock(ctx, b.program, b.progress)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := check(b.workspace, b.workspaceKey, everyFile); err == nil {
		touch(b.workspace)
		return nil
	}
	if err := removeEntry(b.workspace); err != nil {
		return message.Errorf("preparing the folder of the workspace: %w", err)
	}
	err = copied.write(b.workspace)
	if err == nil {
		err = sealAs(b.workspace, manifest{Program: b.program.Name, Version: b.program.Version, Key: b.workspaceKey}, copied.sums())
	}
	if err != nil {
		return errors.Join(message.Errorf("workspace of %s: %w", b.program, err), removeEntry(b.workspace))
	}
	return nil
}

// A localPackage is a package as "go list -json" describes it.
type localPackage struct {
	ImportPath, Dir string
	Standard        bool
	EmbedFiles      []string
	Module          *localModule
	Error           *struct{ Pos, Err string }
}

type localModule struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *struct{ Path, Version, Dir, GoMod, GoVersion string }
}

// local reports whether the module's source is in a folder, not in the module cache.
func (m *localModule) local() bool { return m.Main || m.Replace != nil && m.Replace.Version == "" }

// A ListError reports that a folder's packages cannot be listed: a file is missing or
// cannot be parsed.
type ListError struct {
	Name string
	// Complaints has the lines of the go command.
	// A line about a file begins with the file's path.
	Complaints []string
}

func (e *ListError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *ListError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *ListError) message() message.Message {
	shown := e.Complaints[:min(shownComplaints, len(e.Complaints))]
	lines := strings.Join(shown, "\n\t")
	if n := len(e.Complaints) - len(shown); n > 0 {
		return message.Of("the packages of %s cannot be read:\n\t%s\n\t… and %d more lines", e.Name, lines, n)
	}
	return message.Of("the packages of %s cannot be read:\n\t%s", e.Name, lines)
}

// listLocal lists the program's packages, without the standard library.
func (b *build) listLocal(ctx context.Context, l Local) ([]localPackage, error) {
	tmp, err := NewRunDir()
	if err != nil {
		return nil, err
	}
	defer tmp.Close()
	settings, err := b.listSettings(l, tmp.Path)
	if err != nil {
		return nil, err
	}
	var stdout bytes.Buffer
	var complaints []string
	command := Command{
		Stage: StageTidy, Dir: l.Dir, Env: append(b.toolchain.fetchEnv(b.cache), assignments(settings)...), Set: assignments(settings),
		Args: []string{b.toolchain.Go, "list", "-e", "-deps", "-json=ImportPath,Dir,Standard,EmbedFiles,Module,Error", "./" + path.Dir(b.program.Main)},
	}
	if err := command.start(ctx, &stdout, func(line string) {
		b.progress.item(line)
		complaints = append(complaints, line)
	}); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &ListError{l.Name, append(complaints, err.Error())}
	}
	main := path.Join(b.program.Module, path.Dir(b.program.Main))
	var packages []localPackage
	complaints = nil
	for in := json.NewDecoder(&stdout); in.More(); {
		var p localPackage
		if err := in.Decode(&p); err != nil {
			return nil, message.Errorf("reading the output of %q: %w", "go list -json", err)
		}
		if p.Error != nil {
			complaint := p.Error.Err
			if p.Error.Pos != "" {
				complaint = p.Error.Pos + ": " + complaint
			}
			complaints = append(complaints, strings.Split(complaint, "\n")...)
		} else if !p.Standard && (p.ImportPath != main || b.program.MainFolder() != "") { // the workspace has its own copy of a main file
			packages = append(packages, p)
		}
	}
	if len(complaints) > 0 {
		return nil, &ListError{l.Name, complaints}
	}
	return packages, nil
}

// listSettings returns the settings that select the source of packages: a go.work for
// modules of the folder's Go workspace, and a vendor folder for other modules.
// Both may be above the folder. tmp is for a copy of the go.work.
func (b *build) listSettings(l Local, tmp string) ([]setting, error) {
	mode, work, top := "-mod=readonly", "off", l.Dir
	workspace, err := findWorkspace(l.Dir)
	if err != nil {
		return nil, err
	}
	if workspace != nil {
		work, top = workspace.file, workspace.dir()
	}
	if _, err := os.Stat(filepath.Join(top, "vendor", "modules.txt")); err == nil {
		mode = "-mod=vendor"
	} else if workspace != nil { // the go command may write to go.work.sum
		if work, err = copyWork(top, tmp, workspace.data); err != nil {
			return nil, err
		}
	}
	return []setting{{"GOFLAGS", mode}, {"GOWORK", work}, {"CGO_ENABLED", "0"}}, nil
}

// A localCopy is the content of a workspace that is made from a folder.
type localCopy struct {
	files []localFile
	// links are workspaces with files to link instead of copying.
	links []linkable
}

type localFile struct {
	// name is the path below the workspace, with slashes. sum is the checksum.
	name, sum string
	// from is the path of a cached file with the same content.
	// If from is "", data is the content.
	from string
	data []byte
}

// sums lists the files in the form of sumFiles.
func (c *localCopy) sums() []byte {
	var out bytes.Buffer
	for _, f := range c.files {
		fmt.Fprintf(&out, "%s  %s\n", f.sum, f.name)
	}
	return out.Bytes()
}

// readLocal reads the workspace's content from the folder, and sets b.upstream.Local.
func (b *build) readLocal(l Local, packages []localPackage) (*localCopy, error) {
	modules := modulesOf(b.program, l, packages)
	goMod, err := modules.goMod(b.upstream)
	if err != nil {
		return nil, err
	}
	b.upstream.Local = &LocalBuild{Dir: l.Dir, GoMod: string(goMod), Folders: modules.folders(l.Dir)}
	c := &localCopy{links: b.linkables()}
	c.add("go.mod", goMod)
	if main := b.program.MainFolder(); main != "" {
		c.add(toolsFile, toolsSource(b.program.tools()))
		c.add(leashIn(main), leash)
	} else {
		main, err := os.ReadFile(filepath.Join(l.Dir, filepath.FromSlash(b.program.Main)))
		if err != nil {
			return nil, err
		}
		c.add("main.go", main)
		c.add(leashFile, leash)
	}
	c.add("vendor/modules.txt", modules.list())
	var sources []string // pairs of a path and a name
	for _, p := range packages {
		names, err := p.files()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			sources = append(sources, filepath.Join(p.Dir, filepath.FromSlash(name)), path.Join("vendor", p.ImportPath, name))
		}
	}
	own := len(c.files)
	c.files = append(c.files, make([]localFile, len(sources)/2)...)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range len(sources) / 2 {
		g.Go(func() error {
			data, err := os.ReadFile(sources[2*i])
			c.files[own+i] = c.file(sources[2*i+1], data)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, message.Errorf("reading %s: %w", l.Name, err)
	}
	slices.SortFunc(c.files, func(a, b localFile) int { return strings.Compare(a.name, b.name) })
	c.files = slices.CompactFunc(c.files, func(a, b localFile) bool { return a.name == b.name })
	return c, nil
}

func (c *localCopy) add(name string, data []byte) { c.files = append(c.files, c.file(name, data)) }

func (c *localCopy) file(name string, data []byte) localFile {
	f := localFile{name: name, sum: hash(data)}
	for _, l := range c.links {
		if l.sums[name] == f.sum {
			f.from = filepath.Join(l.dir, filepath.FromSlash(name))
			return f
		}
	}
	f.data = data
	return f
}

// write writes the files below a folder. It links files that the cache has.
func (c *localCopy) write(dir string) error {
	made := map[string]bool{}
	for _, f := range c.files {
		file := filepath.Join(dir, filepath.FromSlash(f.name))
		if parent := filepath.Dir(file); !made[parent] {
			if err := os.MkdirAll(parent, 0o700); err != nil {
				return err
			}
			made[parent] = true
		}
		if f.from != "" {
			if os.Link(f.from, file) == nil {
				continue
			}
			data, err := os.ReadFile(f.from)
			if err != nil {
				return err
			}
			f.data = data
		}
		if err := os.WriteFile(file, f.data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A linkable is a cached workspace with files to link.
type linkable struct {
	dir  string
	sums map[string]string // file name → checksum
}

// linkables returns the three most recently used workspaces of the program.
// Their files are never changed in place, so a link is as good as a copy.
func (b *build) linkables() []linkable {
	const wanted = 3
	dirs, err := filepath.Glob(filepath.Join(b.cache.kindDir(KindWorkspace), b.program.Name+"_*"))
	if err != nil {
		return nil
	}
	used := map[string]time.Time{}
	for _, dir := range dirs {
		if m, err := readManifest(dir); err == nil {
			used[dir] = m.lastUsed
		}
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return used[dir].IsZero() })
	slices.SortFunc(dirs, func(a, b string) int { return used[b].Compare(used[a]) })
	var all []linkable
	for _, dir := range dirs[:min(wanted, len(dirs))] {
		list, err := os.ReadFile(filepath.Join(dir, sumsFile))
		if err != nil {
			continue
		}
		l := linkable{dir, map[string]string{}}
		for line := range strings.Lines(string(list)) {
			if sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  "); ok {
				l.sums[name] = sum
			}
		}
		all = append(all, l)
	}
	return all
}

// files lists the files that "go mod vendor" would copy: all regular files except
// tests, and the embedded files in folders below.
func (p *localPackage) files() ([]string, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".") || name == "go.mod" || name == "go.sum" {
			continue
		}
		names = append(names, name)
	}
	return append(names, p.EmbedFiles...), nil
}
