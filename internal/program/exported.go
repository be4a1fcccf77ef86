package program

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An ExportedProgram is a program to export. The export has its build, and the cache's
// file about its upstream module (see upstreamFile). Another machine can run the build
// without a network and without Go. With Rebuild, the export also has the source and the
// compiled packages. Then the other machine can edit and build the program, too. For that
// it needs the same version of Go, but no network.
type ExportedProgram struct {
	Program Program
	// Options are the options of the build. Export sets their Cache.
	Options Options
	Rebuild bool
}

// An exportedFile is one file of an export.
type exportedFile struct {
	// Path is relative to the cache's root, with slashes.
	Path string `json:"path"`
	Size int64  `json:"size"`
	Sum  string `json:"sha256"`
	// source is the path of a file with the content. If it is "", data is the content.
	data   []byte
	source string
}

// filesOf lists the files to export for one program. It fails if the cache has no
// finished build of the program.
// On success, the caller must call release of the returned build.
func (c *Cache) filesOf(ctx context.Context, p ExportedProgram) (files []exportedFile, use *build, err error) {
	progress := newReporter(p.Options.Progress, p.Program)
	b, err := newBuild(ctx, p.Program, p.Options, progress)
	if err != nil {
		return nil, nil, err
	}
	if b.key == "" {
		return nil, nil, b.needsGo()
	}
	if b.isEdited() {
		return nil, nil, message.Errorf("the build of %s has your edits, but only builds of upstream's source can be exported", b.program)
	}
	m, err := b.checkBinary()
	if err != nil {
		return nil, nil, message.Errorf("the build of %s: %w", b.program, err)
	}
	defer func() {
		if err != nil {
			b.release()
		}
	}()
	record, err := c.upstreamFile(b.upstream.Module, b.upstream.Version)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, exportedFile{source: record, Path: c.below(record)})
	sealed, err := b.sealedBinary(m)
	if err != nil {
		return nil, nil, err
	}
	files = append(files, sealed...)
	if p.Rebuild {
		again, err := b.rebuildFiles(ctx)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, again...)
	}
	return files, b, nil
}

// below returns the path of a cache file relative to the cache's root. For a build or a
// workspace, the path begins with "builds/" or "workspaces/", even if that folder is a link
// to another place.
func (c *Cache) below(file string) string {
	for _, kind := range []Kind{KindBuild, KindWorkspace} {
		if rel, err := filepath.Rel(c.kindDir(kind), file); err == nil && filepath.IsLocal(rel) {
			return string(kind) + "s/" + filepath.ToSlash(rel)
		}
	}
	rel, err := filepath.Rel(c.Root, file)
	if err != nil {
		return file // not a path of the cache; an import rejects it
	}
	return filepath.ToSlash(rel)
}

// sealedBinary lists the binary of a build, and a manifest and checksums of the binary
// alone. It leaves out the overlay and the log, because they name folders of this machine.
func (b *build) sealedBinary(m manifest) ([]exportedFile, error) {
	sum, err := hashFile(filepath.Join(b.dir, b.program.Name))
	if err != nil {
		return nil, err
	}
	sums := []byte(sum + "  " + b.program.Name + "\n")
	m.Sums = hash(sums)
	text, err := encodeJSON(m)
	if err != nil {
		return nil, err
	}
	dir := b.cache.below(b.dir) + "/"
	return []exportedFile{
		{Path: dir + b.program.Name, source: filepath.Join(b.dir, b.program.Name)},
		{Path: dir + sumsFile, data: sums},
		{Path: dir + manifestFile, data: text},
	}, nil
}

// rebuildFiles lists the files that a rebuild needs: the workspace and a part of Go's
// build cache.
func (b *build) rebuildFiles(ctx context.Context) ([]exportedFile, error) {
	if b.noGo != nil {
		return nil, b.noGo
	}
	unlock, err := b.cache.lock(ctx, b.program, b.progress)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := b.ensureWorkspace(ctx); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(b.dir, overlayFile)); err != nil && b.rewrite != nil { // an imported build has no overlay
		if err := os.MkdirAll(filepath.Join(b.dir, overlayDir), 0o700); err != nil {
			return nil, err
		}
		if _, err := b.makeOverlay(ctx); err != nil {
			return nil, err
		}
	}
	files, err := b.cache.treeFiles(b.workspace)
	if err != nil {
		return nil, err
	}
	compiled, err := b.compiledFiles(ctx)
	return append(files, compiled...), err
}

// treeFiles lists all regular files below a cache folder.
func (c *Cache) treeFiles(dir string) (files []exportedFile, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, exportedFile{Path: c.below(path), source: path})
		}
		return err
	})
	return files, err
}

// compiledFiles lists the files of Go's build cache with the program's compiled
// packages. It compiles missing packages. In Go's build cache, a file "…-d" holds an
// output. A file "…-a" maps an action to its output: "v1 ACTION OUTPUT SIZE TIME"
// (cmd/go/internal/cache/cache.go of Go 1.26).
func (b *build) compiledFiles(ctx context.Context) ([]exportedFile, error) {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.Export}}"}, b.buildFlags()...)
	args = append(args, b.overlayFlag()...)
	var out bytes.Buffer
	var stderr tailBuffer
	b.progress.stage(StageCompile, 0)
	if err := b.goCommand(message.Of("find the compiled packages"), append(args, ".")...).start(ctx, &out, stderr.add); err != nil {
		return nil, message.Errorf("finding the compiled packages of %s: %w: %s", b.program, err, stderr.String())
	}
	defer b.progress.stage(StageDone, 0)
	// Go caches the compiler's messages for each package, too. go list does not name this
	// file. It is empty for a package without warnings.
	outputs := map[string]bool{hash(nil): true}
	for line := range strings.Lines(out.String()) {
		if name, ok := strings.CutSuffix(filepath.Base(strings.TrimSpace(line)), "-d"); ok {
			outputs[name] = true
		}
	}
	var files []exportedFile
	actions, err := filepath.Glob(filepath.Join(b.cache.goCache(), "[0-9a-f][0-9a-f]", "*-a"))
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, action := range actions {
		text, err := os.ReadFile(action)
		if fields := strings.Fields(string(text)); err == nil && len(fields) == 5 && outputs[fields[2]] {
			// Export the text, not the file: another build may rewrite the file with
			// another time.
			files = append(files, exportedFile{Path: b.cache.below(action), data: text})
			found[fields[2]] = true
		}
	}
	for output := range found {
		file := filepath.Join(b.cache.goCache(), output[:2], output+"-d") // output is the checksum of the content
		files = append(files, exportedFile{Path: b.cache.below(file), source: file})
	}
	return files, nil
}
