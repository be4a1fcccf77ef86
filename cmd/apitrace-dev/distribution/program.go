package distribution

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

const modulePath = "github.com/kubeapitrace/apitrace"

// A program is apitrace, built for a platform. path is its file.
type program struct {
	platform
	path string
	info *debug.BuildInfo
	// version is the commit's tag, or a pseudo-version. time is the commit's time.
	version, commit string
	time            time.Time
}

// environment returns the environment of a go command that builds for the platform. It
// overrides the user's environment variables for cgo, flags, workspaces, experiments and
// processor levels. The empty GOFLAGS and GOEXPERIMENT do not override settings of
// "go env -w".
func (p platform) environment() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.OS, "GOARCH="+p.Arch, "GOFLAGS=", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
}

// buildProgram builds apitrace from the module in folder. The version and the time come
// from git, so the checkout must have no changes.
func buildProgram(ctx context.Context, folder, work string, on platform) (*program, error) {
	p := &program{platform: on, path: filepath.Join(work, on.OS+"_"+on.Arch, "apitrace")}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", p.path, "./cmd/apitrace")
	build.Dir, build.Env, build.Stderr = folder, on.environment(), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("building for %s: %w", on, err)
	}
	var err error
	if p.info, err = buildinfo.ReadFile(p.path); err != nil {
		return nil, err
	}
	return p, p.readStamp()
}

// readStamp reads the version and the commit's time, which the go command wrote into
// the program.
func (p *program) readStamp() (err error) {
	settings := map[string]string{}
	for _, s := range p.info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] == "true" {
		return errors.New("the checkout has changes: commit them, because a release is made from a commit")
	}
	p.version, p.commit = p.info.Main.Version, settings["vcs.revision"]
	if p.time, err = time.Parse(time.RFC3339, settings["vcs.time"]); err != nil || !strings.HasPrefix(p.version, "v") {
		return fmt.Errorf("the build has the version %q and the commit time %q: expected a version that begins with \"v\", and a time in the form of RFC 3339; build from a git checkout", p.version, settings["vcs.time"])
	}
	return nil
}

// texts returns the completions and manual pages. The program writes them, so it must
// run on this machine.
func (p *program) texts(ctx context.Context, work string) ([]file, error) {
	var files []file
	for shell, name := range map[string]string{"bash": "apitrace.bash", "zsh": "_apitrace", "fish": "apitrace.fish", "powershell": "apitrace.ps1"} {
		script, err := p.run(ctx, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "completions/" + name, content: script})
	}
	pages := filepath.Join(work, "man1")
	if _, err := p.run(ctx, "manual", pages); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	for _, e := range entries {
		files = append(files, file{name: "man/man1/" + e.Name(), path: filepath.Join(pages, e.Name())})
	}
	return files, err
}

// run runs the program in English and returns its output. The program gets the commit's
// time as SOURCE_DATE_EPOCH, so that it writes this date.
func (p *program) run(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, p.path, args...)
	command.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC", "SOURCE_DATE_EPOCH="+strconv.FormatInt(p.time.Unix(), 10))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("apitrace %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// readme returns the files in the archive's top folder, except the program: the
// completion helper for kubectl, the licence, the READMEs and the installation pages.
// The archive lacks most files that the pages link to, so the links lead to the
// repository on GitHub, at the program's commit.
func (p *program) readme(folder string) (files []file, err error) {
	const completion = "kubectl_complete-apitrace"
	files = []file{
		{name: completion, path: filepath.Join(folder, "cmd", "apitrace", completion), mode: 0o755},
		{name: "LICENSE", path: filepath.Join(folder, "LICENSE")},
	}
	for name, page := range map[string]string{
		"README.md": "README.md", "README.zh.md": "README.zh.md", "INSTALL.md": "docs/install.md", "INSTALL.zh.md": "docs/install.zh.md",
	} {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(page)))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, content: linked(text, page, "https://"+modulePath+"/blob/"+p.commit+"/")})
	}
	return files, nil
}

// link matches the part "](target)" of a Markdown link without a title.
var link = regexp.MustCompile(`\]\([^)\s]+\)`)

// linked makes a page's relative links absolute: it puts address before the path of the
// linked file in the repository. It keeps links within the page, and absolute links.
func linked(text []byte, page, address string) []byte {
	return link.ReplaceAllFunc(text, func(found []byte) []byte {
		target := string(found[2 : len(found)-1])
		if strings.HasPrefix(target, "#") || strings.Contains(target, "://") {
			return found
		}
		return []byte("](" + address + path.Join(path.Dir(page), target) + ")")
	})
}
