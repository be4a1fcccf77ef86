package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// TakeCheckout copies the source of kube-apiserver from a checkout of kubernetes to the
// cache. ParseVersion accepts the returned version like a release.
// If the cache already has the same source, TakeCheckout only returns its version.
func TakeCheckout(ctx context.Context, l program.Local, o BuildOptions) (version string, err error) {
	if o.Cache == nil {
		if o.Cache, err = program.OpenCache(""); err != nil {
			return "", err
		}
	}
	l.Like = testedRelease(l.Release)
	p := Program(l.Like)
	if version, ok := program.CopiedVersion(o.Cache, p, l); ok {
		return version, nil
	}
	if err := checkCheckout(l); err != nil {
		return "", err
	}
	up, err := program.CopySource(ctx, p, l, program.Options{Cache: o.Cache, Progress: o.Progress})
	var list *program.ListError
	if errors.As(err, &list) {
		return "", explainList(l, list)
	}
	return up.Version, err
}

// HasCheckout reports whether TakeCheckout would find the source in the default cache.
func HasCheckout(l program.Local) bool {
	cache, err := program.OpenCache("")
	if err != nil {
		return false
	}
	l.Like = testedRelease(l.Release)
	_, ok := program.CopiedVersion(cache, Program(l.Like), l)
	return ok
}

// checkCheckout returns an error for a folder that is not a checkout of kubernetes.
func checkCheckout(l program.Local) error {
	data, err := os.ReadFile(filepath.Join(l.Dir, "go.mod"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if found := modfile.ModulePath(data); found != module {
		return message.Errorf("%s is not a checkout of kubernetes: expected a go.mod of module %q in its top folder, found %q", l.Name, module, found)
	}
	if _, err := os.Stat(filepath.Join(l.Dir, "staging", "src")); err != nil {
		return message.Errorf("%s has no folder %q, in which kubernetes keeps the modules that kube-apiserver consists of: expected a whole checkout", l.Name, "staging/src")
	}
	return nil
}

var (
	binaryVersion = regexp.MustCompile(`DefaultKubeBinaryVersion\s*=\s*"(\d+\.\d+)"`)
	changelogName = regexp.MustCompile(`^CHANGELOG-1\.(\d+)\.md$`)
	changelogHead = regexp.MustCompile(`(?m)^# (v1\.\d+\.\d+)\s*$`)
)

// SourceRelease finds the minor version in baseFile, and the patch release in the folder
// changelogs.
const (
	baseFile   = "staging/src/k8s.io/component-base/version/base.go"
	changelogs = "CHANGELOG"
)

// ReleaseFiles are the files and folders of a checkout that SourceRelease reads.
var ReleaseFiles = []string{baseFile, changelogs}

// SourceRelease returns the release that is nearest to the source of kubernetes in dir,
// and the file that says so.
// The minor version comes from component-base or else from the newest change log.
// The patch release comes from the minor version's change log. If there is no such file,
// the patch release is 0.
func SourceRelease(dir string) (release, file string, err error) {
	var minor string
	file = baseFile
	if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))); err == nil {
		if found := binaryVersion.FindSubmatch(data); found != nil {
			minor = "v" + string(found[1])
		}
	}
	if minor == "" {
		newest := -1
		entries, _ := os.ReadDir(filepath.Join(dir, changelogs)) // without the folder there are no entries
		for _, e := range entries {
			if found := changelogName.FindStringSubmatch(e.Name()); found != nil {
				if n, err := strconv.Atoi(found[1]); err == nil {
					newest = max(newest, n)
				}
			}
		}
		if newest < 0 {
			return "", "", message.Errorf("the version of the source in %q is not known: it has no tag of a release, no DefaultKubeBinaryVersion in %s, and no CHANGELOG/CHANGELOG-1.*.md; fetch the tags (git fetch --tags)", dir, file)
		}
		minor = fmt.Sprintf("v1.%d", newest)
	}
	changelog := changelogs + "/CHANGELOG-" + strings.TrimPrefix(minor, "v") + ".md"
	if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(changelog))); err == nil {
		if found := changelogHead.FindSubmatch(data); found != nil && semver.MajorMinor(string(found[1])) == minor {
			return string(found[1]), changelog, nil
		}
	}
	return minor + ".0", file, nil
}

// CheckRelease returns an error for a checkout of a release that is older than all of
// Releases. tested reports whether Releases has the release's minor version.
func CheckRelease(release string) (tested bool, err error) {
	minor := semver.MajorMinor(release)
	if semver.Compare(minor, semver.MajorMinor(releases[0])) < 0 {
		return false, message.Errorf("a checkout of %s cannot be traced: expected %s or newer", release, semver.MajorMinor(releases[0]))
	}
	return slices.ContainsFunc(releases, func(known string) bool { return semver.MajorMinor(known) == minor }), nil
}

// A generated describes a kind of file that upstream generates and commits.
type generated struct {
	// marker is the comment in a package that asks for the file. file is the file's name.
	// command makes the file.
	marker, file, command string
}

// generatedFiles lists kinds of files that hack/update-codegen.sh makes.
// In kubernetes v1.26 and newer, an argument of the script selects the kind.
var generatedFiles = []generated{
	{"// +k8s:deepcopy-gen=package", "zz_generated.deepcopy.go", "hack/update-codegen.sh deepcopy"},
	{"// +k8s:defaulter-gen=TypeMeta", "zz_generated.defaults.go", "hack/update-codegen.sh defaults"},
	{"// +k8s:conversion-gen=", "zz_generated.conversion.go", "hack/update-codegen.sh conversions"},
	{"// +k8s:validation-gen=", "zz_generated.validations.go", "hack/update-codegen.sh validation"},
}

// openAPIPackage holds only generated definitions.
const openAPIPackage = "pkg/generated/openapi"

// missingGenerated returns a generated file that a folder of the checkout at top lacks,
// and the command that makes it. If no file is missing, both are "".
func missingGenerated(top, folder string) (file, command string) {
	if folder == openAPIPackage || strings.HasPrefix(folder, openAPIPackage+"/") {
		file := openAPIPackage + "/zz_generated.openapi.go"
		if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(file))); errors.Is(err, fs.ErrNotExist) {
			return file, "hack/update-codegen.sh openapi"
		}
	}
	doc, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(folder), "doc.go"))
	if err != nil {
		return "", ""
	}
	for _, g := range generatedFiles {
		_, err := os.Stat(filepath.Join(top, filepath.FromSlash(folder), g.file))
		if errors.Is(err, fs.ErrNotExist) && strings.Contains(string(doc), g.marker) && !strings.Contains(string(doc), g.marker+"false") {
			return folder + "/" + g.file, g.command
		}
	}
	return "", ""
}

// A checkoutError reports that a checkout or an API server's folder does not compile.
type checkoutError struct {
	name       string
	complaints []string
	// generated has pairs: a missing file, and the command that makes it.
	generated [][2]string
	err       error
}

func (e *checkoutError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *checkoutError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *checkoutError) message() message.Message {
	const most = 12
	lines := strings.Join(e.complaints[:min(most, len(e.complaints))], "\n\t")
	if len(e.complaints) > most {
		lines += "\n\t…"
	}
	if len(e.generated) == 0 {
		return message.Of("%s does not compile:\n\t%s", e.name, lines)
	}
	var files, commands []string
	for _, g := range e.generated {
		files = append(files, g[0])
		if !slices.Contains(commands, g[1]) {
			commands = append(commands, g[1])
		}
	}
	return message.Of("%s does not compile:\n\t%s\ngenerated source is missing: %s; in the checkout, %q makes it", e.name, lines, strings.Join(files, ", "), strings.Join(commands, " && "))
}

func (e *checkoutError) Unwrap() error { return e.err }

// addGenerated adds the generated files that folders lack.
func (e *checkoutError) addGenerated(top string, folders []string) {
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		if file, command := missingGenerated(top, folder); file != "" {
			e.generated = append(e.generated, [2]string{file, command})
		}
	}
}

// listed matches the beginning of go list's complaint about a file: path and line.
var listed = regexp.MustCompile(`^(\S+\.go):\d+`)

// noPackage matches go list's complaint that a package of the checkout is missing.
var noPackage = regexp.MustCompile(`\b(k8s\.io/\S+?)(?:[;:,]| is not| in |$)`)

func explainList(l program.Local, list *program.ListError) error {
	for _, line := range list.Complaints {
		if strings.Contains(line, "inconsistent vendoring") {
			return message.Errorf("%w\nin the checkout, %q brings the vendor folder up to date", list, "hack/update-vendor.sh")
		}
	}
	e := &checkoutError{name: l.Name, complaints: list.Complaints, err: list}
	var folders []string
	for _, line := range list.Complaints {
		if found := listed.FindStringSubmatch(line); found != nil {
			folders = append(folders, path.Dir(filepath.ToSlash(found[1])))
		}
		if found := noPackage.FindStringSubmatch(line); found != nil {
			if rest, ok := strings.CutPrefix(found[1], module+"/"); ok {
				folders = append(folders, rest)
			} else {
				folders = append(folders, "staging/src/"+found[1])
			}
		}
	}
	if e.addGenerated(l.Dir, folders); len(e.generated) == 0 {
		return list
	}
	return e
}

// explainCheckout rewrites a build error of a checkout, so that it names the checkout's
// files, and missing generated files.
func explainCheckout(err error, up program.Upstream) error {
	e, folders := inFolder(err, up)
	if e == nil {
		return err
	}
	e.addGenerated(up.Local.Dir, folders)
	return e
}

// inFolder turns a build error of a local source into an error about files in the
// user's folder. folders are the packages that do not compile.
// It returns nil for the source of a release, and for any other error.
func inFolder(err error, up program.Upstream) (e *checkoutError, folders []string) {
	var compile *program.CompileError
	var syntax scanner.ErrorList
	if up.Local == nil {
		return nil, nil
	}
	e = &checkoutError{name: up.Local.Name, err: err}
	switch {
	case errors.As(err, &compile):
		for _, line := range compile.Complaints {
			if pkg, ok := strings.CutPrefix(line, "# "); ok {
				folders = append(folders, path.Dir(up.Local.FileOf(pkg+"/x.go")))
				continue
			}
			vendored, at, text, ok := traced.SplitComplaint(line)
			if !ok {
				e.complaints = append(e.complaints, line)
				continue
			}
			e.complaints = append(e.complaints, fmt.Sprintf("%s:%s: %s", cmp.Or(up.Local.FileOf(vendored), vendored), at, text))
		}
	case errors.As(err, &syntax): // found before the compiler runs
		for _, s := range syntax {
			_, name, _ := strings.Cut(filepath.ToSlash(s.Pos.Filename), "/vendor/")
			if file := up.Local.FileOf(name); file != "" {
				s.Pos.Filename = file
			}
			e.complaints = append(e.complaints, s.Error())
		}
	default:
		return nil, nil
	}
	return e, folders
}

// copiedCheckout returns the checkout that TakeCheckout copied as this version, and its
// vendor folder in the cache.
func copiedCheckout(version string) (*program.LocalBuild, string, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, "", err
	}
	vendor, up, err := program.CachedSource(cache, Program(version))
	if err == nil && up.Local == nil {
		err = message.Errorf("%s is a release, which does not change: name a checkout, such as --k8s ./kubernetes", version)
	}
	return up.Local, vendor, err
}

// CopyRecord returns the stored facts about the checkout that TakeCheckout copied as
// this version. The cache keeps these facts longer than the copy.
// ok is false if the version is not a checkout.
func CopyRecord(version string) (up program.Upstream, ok bool) {
	cache, err := program.OpenCache("")
	if err != nil || !program.IsLocal(version) {
		return up, false
	}
	return program.CopyRecord(cache, Program(version))
}

// CheckoutDir returns the top folder of the checkout that TakeCheckout copied as this
// version. It returns an error for a commit or a release.
func CheckoutDir(version string) (string, error) {
	if !program.IsLocal(version) {
		return "", message.Errorf("%s is a release, which does not change: name a checkout, such as --k8s ./kubernetes", version)
	}
	local, _, err := copiedCheckout(version)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(local.Dir); err != nil {
		return "", message.Errorf("%s is a commit, which does not change: name the checkout alone", local.Name)
	}
	return local.Dir, nil
}

// CheckoutFolders lists the folders of the checkout that TakeCheckout copied as this
// version: the top folder, and the folders of package main and of the copied packages.
func CheckoutFolders(version string) ([]string, error) {
	local, vendor, err := copiedCheckout(version)
	if err != nil {
		return nil, err
	}
	folders := []string{local.Dir, filepath.Join(local.Dir, filepath.FromSlash(path.Dir(Program(version).Main)))}
	err = filepath.WalkDir(vendor, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(vendor, file)
		if source := local.FileOf(filepath.ToSlash(rel) + "/x.go"); source != "" {
			folders = append(folders, filepath.Join(local.Dir, filepath.FromSlash(path.Dir(source))))
		}
		return err
	})
	return folders, err
}
