// Package checkout reads a checkout of the kubernetes repository, from its work tree
// or from a commit. It makes a version of the checkout that can be built like a
// release. It also finds the recorded scenarios that call the functions of a change.
// Finding them needs only git and the recordings. It builds nothing, so it misses
// calls that the change adds.
//
// The package never writes to the checkout.
package checkout

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// A Checkout is the source in a folder with a git repository.
type Checkout struct {
	// Dir is the top folder of the work tree.
	Dir string
	// Ref is a commit, as for git. "" is the work tree, with uncommitted changes.
	Ref string
}

// noRepository is a part of git's error for a folder outside of any repository (git's
// setup.c).
const noRepository = "not a git repository"

// parse reads "DIR" or "DIR@REF". DIR may be any folder of a work tree.
func parse(ctx context.Context, argument string) (Checkout, error) {
	dir, ref, _ := strings.Cut(argument, "@")
	if _, err := os.Stat(argument); err == nil { // a folder with @ in its name
		dir, ref = argument, ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Checkout{}, message.UsageErrorf("%q: there is no folder %q: expected a checkout of kubernetes, or one of its commits, such as \"./kubernetes\" or \"./kubernetes@v1.37.1\"", argument, dir)
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil && strings.Contains(err.Error(), noRepository) {
		return Checkout{}, message.UsageErrorf("%q: the folder %q lies in no git repository: expected a clone of kubernetes, or its source made a repository by \"git init\", \"git add .\" and \"git commit\"", argument, dir)
	}
	if err != nil {
		return Checkout{}, err
	}
	c := Checkout{strings.TrimSpace(string(top)), ref}
	if ref == "" {
		return c, nil
	}
	commit, err := git(ctx, c.Dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		if shallow, _ := git(ctx, c.Dir, "rev-parse", "--is-shallow-repository"); strings.TrimSpace(string(shallow)) == "true" {
			return Checkout{}, message.UsageErrorf("%q: the repository in %q is a shallow clone, which has no commit %q: \"git -C %s fetch --unshallow\" gets the whole history", argument, c.Dir, ref, text.ShellWord(c.Dir))
		}
		return Checkout{}, message.UsageErrorf("%q: the repository in %q has no commit %q: \"git -C %s fetch\" may get it", argument, c.Dir, ref, text.ShellWord(c.Dir))
	}
	c.Ref = strings.TrimSpace(string(commit))
	return c, nil
}

// Sides returns the two sides of a change. Two arguments name them. With one argument,
// the sides are a commit and the work tree. The commit is the argument's or, if it names
// none, the checked-out commit. Another repository than kubernetes is an error.
func Sides(ctx context.Context, arguments []string) (before, after Checkout, err error) {
	if before, after, err = parseSides(ctx, arguments); err != nil {
		return before, after, err
	}
	for _, c := range []Checkout{before, after} {
		if err := c.check(ctx, arguments[0]); err != nil {
			return before, after, err
		}
	}
	return before, after, nil
}

// check returns an error if c is not a checkout of kubernetes. argument names c in it.
func (c Checkout) check(ctx context.Context, argument string) error {
	const module = "k8s.io/kubernetes"
	data, err := os.ReadFile(filepath.Join(c.Dir, "go.mod"))
	if c.Ref != "" {
		data, err = git(ctx, c.Dir, "show", c.Ref+":go.mod")
	}
	if err == nil && modfile.ModulePath(data) == module {
		return nil
	}
	return message.UsageErrorf("%s is not a checkout of kubernetes: expected a go.mod of module %q in its top folder, found %q", argument, module, modfile.ModulePath(data))
}

func parseSides(ctx context.Context, arguments []string) (before, after Checkout, err error) {
	if before, err = parse(ctx, arguments[0]); err != nil {
		return before, after, err
	}
	if len(arguments) > 1 {
		after, err = parse(ctx, arguments[1])
		return before, after, err
	}
	after = Checkout{Dir: before.Dir}
	if before.Ref == "" {
		before, err = parse(ctx, before.Dir+"@HEAD")
	}
	return before, after, err
}

// Release returns the nearest release's tag, such as "v1.37.1", at or before the
// checkout, or "" without one, as in a shallow clone.
func (c Checkout) Release(ctx context.Context) string {
	ref := c.Ref
	if ref == "" {
		ref = "HEAD"
	}
	tag, err := git(ctx, c.Dir, "describe", "--tags", "--abbrev=0", "--match", "v1.*", ref)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(tag))
}

// SourceRelease returns the release nearest to the checkout's source, and the file that
// has the release; see apiserver.SourceRelease.
func (c Checkout) SourceRelease(ctx context.Context) (release, file string, err error) {
	if c.Ref == "" {
		return apiserver.SourceRelease(c.Dir)
	}
	tmp, err := program.NewRunDir()
	if err != nil {
		return "", "", err
	}
	defer tmp.Close()
	found, err := git(ctx, c.Dir, append([]string{"ls-tree", "-r", "--name-only", "-z", c.Ref, "--"}, apiserver.ReleaseFiles...)...)
	if err != nil {
		return "", "", err
	}
	if files := strings.Split(strings.Trim(string(found), "\x00"), "\x00"); files[0] != "" {
		if err := c.export(ctx, tmp.Path, filepath.Join(tmp.Path, "index"), files...); err != nil {
			return "", "", err
		}
	}
	return apiserver.SourceRelease(tmp.Path)
}

// changed lists the Go files, without tests, that differ between two checkouts of one
// repository. The paths are relative to its top, slash-separated and sorted.
func changed(ctx context.Context, a, b Checkout) ([]string, error) {
	if a.Dir != b.Dir {
		return nil, message.UsageErrorf("%q and %q are two work trees: name two commits of one work tree, or one of its commits to compare with its files", a.Dir, b.Dir)
	}
	if a.Ref == "" && b.Ref == "" {
		return nil, message.UsageErrorf("%q is on both sides: name a commit to compare it with, such as \"%s@HEAD\"", a.Dir, a.Dir)
	}
	args := []string{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff"}
	for _, ref := range []string{a.Ref, b.Ref} {
		if ref != "" {
			args = append(args, ref)
		}
	}
	out, err := git(ctx, a.Dir, append(args, "--", "*.go")...)
	if err != nil {
		return nil, err
	}
	if a.Ref == "" || b.Ref == "" {
		untracked, err := git(ctx, a.Dir, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.go")
		if err != nil {
			return nil, err
		}
		out = append(out, untracked...)
	}
	var files []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// importPath returns the import path of a file's package in the repository. Below
// staging/src and vendor, it is the rest of the path (staging/README.md, v1.37).
func importPath(name string) string {
	dir := path.Dir(name)
	for _, root := range []string{"staging/src/", "vendor/"} {
		if rest, ok := strings.CutPrefix(dir, root); ok {
			return rest
		}
	}
	return path.Join("k8s.io/kubernetes", dir)
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return gitWith(ctx, dir, nil, args...)
}

func gitWith(ctx context.Context, dir string, input io.Reader, args ...string) ([]byte, error) {
	return gitEnv(ctx, dir, input, nil, args...)
}

func gitEnv(ctx context.Context, dir string, input io.Reader, env []string, args ...string) ([]byte, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, message.NewError("reading a checkout needs git, which is not installed: install it and try again")
	}
	command := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	var said bytes.Buffer
	command.Stdin, command.Stderr = input, &said
	// Without optional locks git does not refresh the index, so the checkout is only
	// read. The locale makes git's errors English, for noRepository.
	command.Env = append(os.Environ(), append([]string{"GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}, env...)...)
	out, err := command.Output()
	if err != nil {
		return nil, message.Errorf("git %s in %q: %w: %s", args[0], dir, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}
