package checkout

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/sides"
)

// isNamed reports whether an argument, which could also name a release, names a
// checkout: "./kubernetes" or "./kubernetes@main".
func isNamed(argument string) bool {
	if strings.ContainsRune(argument, filepath.Separator) || argument == "." || argument == ".." {
		return true
	}
	if _, err := apiserver.ParseVersion(argument); err == nil {
		return false
	}
	dir, _, _ := strings.Cut(argument, "@")
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && dir != ""
}

// versionOf returns a checkout's version for use like a release, such as in a
// session.Spec. It copies the source to the cache, unless the cache has it in the same
// state. The checkout is only read. Other arguments are returned unchanged.
func versionOf(ctx context.Context, argument string, to session.Reporter) (string, error) {
	if !isNamed(argument) {
		return argument, nil
	}
	c, err := parse(ctx, argument)
	if err != nil {
		return "", err
	}
	const attempts = 3 // an editor or git may be writing
	for attempt := 1; ; attempt++ {
		version, err := c.version(ctx, argument, to)
		if !errors.Is(err, program.ErrChanged) || attempt == attempts {
			return version, err
		}
	}
}

// TakeArguments replaces each checkout among two arguments by its version. taken has
// the replaced checkouts, and the zero Checkout for other arguments. If the number of
// arguments is not two, none of them names a checkout, and they stay unchanged.
func TakeArguments(ctx context.Context, arguments []string, to session.Reporter) (taken [2]sides.Checkout, err error) {
	if len(arguments) != 2 {
		return taken, nil
	}
	for i := range arguments {
		version, err := versionOf(ctx, arguments[i], to)
		if err != nil {
			return taken, err
		}
		if version == arguments[i] {
			continue
		}
		c, err := parse(ctx, arguments[i])
		if err != nil {
			return taken, err
		}
		committed, err := c.committed(ctx)
		if err != nil {
			return taken, err
		}
		taken[i] = sides.Checkout{Name: arguments[i], Committed: committed}
		arguments[i] = version
	}
	return taken, nil
}

// TakeFlag replaces a flag's value by the checkout's version if it names a
// checkout. The flag may be nil. A flag that is not set, or not a string, names no
// checkout.
func TakeFlag(ctx context.Context, flag *pflag.Flag, to session.Reporter) error {
	if flag == nil || !flag.Changed || flag.Value.Type() != "string" {
		return nil
	}
	version, err := versionOf(ctx, flag.Value.String(), to)
	if err != nil {
		return err
	}
	return flag.Value.Set(version)
}

// StopServed stops the servers that are kept running. If only is set, it stops only the
// servers of the release or checkout in argument.
func StopServed(ctx context.Context, only bool, argument string, to session.Reporter) (err error) {
	wanted := func(string) bool { return true }
	if only {
		if wanted, err = wantedBy(ctx, argument); err != nil {
			return err
		}
	}
	return session.StopServed(ctx, wanted, to)
}

// wantedBy returns a function that reports whether a version belongs to an argument. A
// release matches itself. A commit matches its versions without uncommitted changes. A
// work tree matches the versions of its checked-out commit, and all versions from its
// folder, in any state. wantedBy builds nothing, so the checkout need not compile.
func wantedBy(ctx context.Context, argument string) (func(version string) bool, error) {
	if !isNamed(argument) {
		release, err := apiserver.ParseVersion(argument)
		return func(version string) bool { return version == release }, message.ToUsageError(err)
	}
	c, err := parse(ctx, argument)
	if err != nil {
		return nil, err
	}
	commit, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	return func(version string) bool {
		from, ok := apiserver.CopyRecord(version)
		return ok && (from.Commit == commit && !from.Local.Dirty || c.Ref == "" && from.Local.Dir == c.Dir)
	}, nil
}

func (c Checkout) version(ctx context.Context, name string, to session.Reporter) (string, error) {
	l, err := c.local(ctx, name)
	if err != nil {
		return "", err
	}
	if c.Ref != "" {
		tree, err := program.NewRunDir()
		if err != nil {
			return "", err
		}
		defer tree.Close()
		l.Dir = filepath.Join(tree.Path, "tree")
		if l.Release == "" || !apiserver.HasCheckout(l) {
			to.Notice("reading %s out of the repository in %q", c.Ref[:min(10, len(c.Ref))], c.Dir)
			if err := c.export(ctx, l.Dir, filepath.Join(tree.Path, "index")); err != nil {
				return "", err
			}
		}
	}
	file := ""
	if l.Release == "" {
		if l.Release, file, err = apiserver.SourceRelease(l.Dir); err != nil {
			return "", err
		}
	}
	tested, err := apiserver.CheckRelease(l.Release)
	if err != nil {
		return "", message.ToUsageError(err)
	}
	progress := to.Building()
	version, err := apiserver.TakeCheckout(ctx, l, apiserver.BuildOptions{Progress: progress})
	progress.Close()
	if err != nil {
		return "", err
	}
	if to.Notice("%s is built as %s", name, version); file != "" {
		to.Notice("no tag of a release is known there, as in a shallow clone: the guide's entries for %s apply, because of %s", l.Release, file)
	}
	if !tested {
		to.Notice("%s is newer than the releases that this apitrace was tested with: the guide may lack its new functions", semver.MajorMinor(l.Release))
	}
	return version, nil
}

// local describes a checkout for the build.
func (c Checkout) local(ctx context.Context, name string) (program.Local, error) {
	l := program.Local{Dir: c.Dir, Name: name}
	ref := c.Ref
	if ref == "" {
		ref = "HEAD"
	}
	out, err := git(ctx, c.Dir, "show", "-s", "--format=%H %ct", "--end-of-options", ref)
	if err != nil {
		return l, err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return l, message.Errorf("git show in %q: %w", c.Dir, err)
	}
	l.Commit, l.Time = commit, time.Unix(unix, 0)
	if tag := c.Release(ctx); semver.IsValid(tag) {
		l.Release = strings.TrimSuffix(semver.Canonical(tag), semver.Prerelease(tag))
	}
	if c.Ref != "" {
		l.State = c.Dir + "\x00" + commit
		return l, nil
	}
	l.State, l.Dirty, err = c.state(ctx, commit)
	l.Check = func(ctx context.Context) (string, error) {
		state, _, err := c.state(ctx, commit)
		return state, err
	}
	return l, err
}

// state identifies the current files: the commit, the differences from it, and the
// untracked files. dirty is set if there are differences or untracked files.
func (c Checkout) state(ctx context.Context, commit string) (state string, dirty bool, err error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", c.Dir, commit)
	changes, err := git(ctx, c.Dir, "diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", commit, "--")
	if err != nil {
		return "", false, err
	}
	h.Write(changes)
	untracked, err := git(ctx, c.Dir, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return "", false, err
	}
	dirty = len(changes) > 0 || len(untracked) > 0
	// go.work and modules.txt affect the build even if git ignores them.
	for name := range strings.SplitSeq(string(untracked)+"go.work\x00vendor/modules.txt", "\x00") {
		if err := addFile(h, c.Dir, name); err != nil {
			return "", false, err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), dirty, nil
}

// addFile adds a file to a hash, if it exists.
func addFile(h io.Writer, dir, name string) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(h, "%s\x00%d\x00", name, info.Size())
	_, err = io.Copy(h, f)
	return err
}

// export writes files of the commit to a folder, or all files if none are named. index is
// the path of a temporary index. git worktree would change the repository, and git
// archive applies substitutions of .gitattributes.
func (c Checkout) export(ctx context.Context, to, index string, files ...string) error {
	checkOut := []string{"checkout-index", "--prefix=" + to + "/"}
	if len(files) == 0 {
		checkOut = append(checkOut, "-a")
	} else {
		checkOut = append(append(checkOut, "--"), files...)
	}
	for _, args := range [][]string{{"read-tree", c.Ref}, checkOut} {
		if _, err := gitEnv(ctx, c.Dir, nil, []string{"GIT_INDEX_FILE=" + index}, args...); err != nil {
			return err
		}
	}
	return nil
}
