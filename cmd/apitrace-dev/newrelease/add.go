// Package newrelease brings a release of Kubernetes into a checkout of apitrace, as far
// as a machine can. "apitrace-dev add-release" calls it.
//
// Package library records a release on running servers.
package newrelease

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/session"
)

// listFile is the file with the list of releases, relative to the repository.
const listFile = "apiserver/version.go"

// compared are the scenarios that the draft of the page on changes compares.
var compared = []string{"get-node", "list-nodes", "create-deployment", "apply-configmap"}

// An Addition adds a release to a checkout.
type Addition struct {
	// Root is the folder of the checkout.
	Root string
	// Version is the tag of the release.
	Version string
	Out     io.Writer
	Err     io.Writer
}

// Add adds the release to the checkout.
//
// It first checks which functions of the guide the release lacks. If there are any, Add
// writes them to Out, with the renames, moves and removals that the sources show. It then
// changes nothing and returns an error. Otherwise it adds the release to the list of
// releases. Then it builds apitrace, kube-apiserver, etcd and the sample server, records the
// scenarios, rebuilds the indexes and documents, and drafts a page on the changes. At the
// end it writes the remaining tasks for a person to Out.
//
// After a failure, a second call continues: builds and changes of the list stay.
func (a *Addition) Add(ctx context.Context, to session.Reporter) error {
	list, err := a.check()
	if err != nil {
		return err
	}
	before := predecessor(a.Version)
	lacking, err := a.lacking(ctx, before, to)
	if err != nil {
		return err
	}
	if lacking > 0 {
		return fmt.Errorf("%s lacks %d functions of the guide: end their entries with \"until: %s\", add entries with \"since: %s\" for what they became, and run the command again",
			a.Version, lacking, semver.MajorMinor(before), semver.MajorMinor(a.Version))
	}
	changed, replaced, err := insert(list, a.Version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(a.Root, listFile), changed, 0o644); err != nil {
		return err
	}
	for _, command := range a.commands() {
		to.Notice("%s", strings.Join(command, " "))
		if err := a.run(ctx, command); err != nil {
			return err
		}
	}
	draft := filepath.Join("bin", "changes-"+a.Version+".md")
	if err := a.draft(ctx, filepath.Join(a.Root, draft), before); err != nil {
		return err
	}
	a.report(before, replaced, draft)
	return nil
}

// check reads the list of releases. It returns an error if the folder has no list, if the
// version is not a release's tag, or if it is older than all releases in the list.
func (a *Addition) check() (list []byte, err error) {
	if list, err = os.ReadFile(filepath.Join(a.Root, listFile)); err != nil {
		return nil, fmt.Errorf("there is no file %s: run this command in the repository of apitrace", listFile)
	}
	if !semver.IsValid(a.Version) || semver.Canonical(a.Version) != a.Version {
		return nil, fmt.Errorf("%q is not a release of Kubernetes: expected a tag, such as %s", a.Version, apiserver.DefaultVersion)
	}
	oldest := apiserver.Releases()[0]
	if semver.Compare(a.Version, oldest) < 0 {
		return nil, fmt.Errorf("%s is older than %s: this command adds newer releases", a.Version, oldest)
	}
	return list, nil
}

// predecessor returns the newest release with a lower minor version, or the oldest
// release if there is none.
func predecessor(version string) string {
	all := apiserver.Releases()
	slices.Reverse(all)
	for _, known := range all {
		if semver.Compare(semver.MajorMinor(known), semver.MajorMinor(version)) < 0 {
			return known
		}
	}
	return all[len(all)-1]
}

// commands returns the commands to run after the change of the list. They need an
// apitrace with the new list.
func (a *Addition) commands() [][]string {
	return [][]string{
		{"make", "build"},
		{program, "build", "--sample", "--k8s", a.Version},
		{program, "run", "get-node", "--check", "--view", "outline", "--k8s", a.Version},
		{program, "run", "create-deployment", "--check", "--view", "outline", "--k8s", a.Version},
		{"make", "record", "K8S=" + a.Version},
		{"go", "run", "./cmd/apitrace-dev", "record", "--names"},
		{"make", "build"},
	}
}

// program is the program that "make build" makes.
const program = "bin/apitrace"

func (a *Addition) command(ctx context.Context, words []string) *exec.Cmd {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Stdout, c.Stderr = a.Root, a.Err, a.Err
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	return c
}

func (a *Addition) run(ctx context.Context, words []string) error {
	if err := a.command(ctx, words).Run(); err != nil {
		return fmt.Errorf("%s: %w; correct the mistakes that its output names, and run the command again", strings.Join(words, " "), err)
	}
	return nil
}

// draft writes comparisons with the previous release into a file.
func (a *Addition) draft(ctx context.Context, file, before string) error {
	var page bytes.Buffer
	fmt.Fprintf(&page, "# What changed between %s and %s\n", before, a.Version)
	for _, scenario := range compared {
		c := a.command(ctx, []string{program, "diff", scenario, before, a.Version, "-o", "markdown"})
		fmt.Fprintln(&page)
		c.Stdout = &page
		different := new(exec.ExitError)
		if err := c.Run(); err != nil && !(errors.As(err, &different) && different.ExitCode() == 1) {
			return fmt.Errorf("comparing %s of %s and %s: %w", scenario, before, a.Version, err)
		}
	}
	return os.WriteFile(file, page.Bytes(), 0o644)
}

// report writes which tasks are left for a person.
func (a *Addition) report(before, replaced, draft string) {
	named := fmt.Sprintf("to make it the default release, change DefaultVersion in %s", listFile)
	if replaced != "" {
		named = fmt.Sprintf("name %s in place of %s in the documents and the tests: git grep %[2]s", a.Version, replaced)
	}
	fmt.Fprintf(a.Out, `%s is added. To do by hand:
- read %s, which lists the changes since %s, and describe the important ones in docs/versions.md and docs/changes.md
- look at the scenarios that "apitrace versions --recorded" lists as not recorded
- read the notes of the functions whose source changed, and the exercises that "apitrace workshop verify" reports
- %s
- run "make test" and "make test-all"
`, a.Version, draft, before, named)
}
