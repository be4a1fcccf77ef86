package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Upstream is a resolved module version, the source of a program. A published version
// never changes, so the cache records it.
type Upstream struct {
	Module  string `json:"module"`
	Version string `json:"version"`
	// Sum is the checksum of the content, as in go.sum.
	Sum string `json:"sum"`
	// GoMod is the text of the module's go.mod.
	GoMod string `json:"goMod"`
	// Time is the time of the released commit.
	Time time.Time `json:"time"`
	// Commit is the hash of the released commit; "" if unknown.
	Commit string `json:"commit,omitempty"`
	// Local is set for source taken from a folder.
	Local *LocalBuild `json:"local,omitempty"`
}

// ModFile parses the module's go.mod.
func (u Upstream) ModFile() (*modfile.File, error) {
	f, err := modfile.Parse(u.Module+"@"+u.Version+"/go.mod", []byte(u.GoMod), nil)
	if err != nil {
		return nil, message.Errorf("parsing upstream's go.mod: %w", err)
	}
	return f, nil
}

// Requires returns the version of a module in upstream's go.mod.
func (u Upstream) Requires(modulePath string) (string, error) {
	f, err := u.ModFile()
	if err != nil {
		return "", err
	}
	for _, r := range f.Require {
		if r.Mod.Path == modulePath {
			return r.Mod.Version, nil
		}
	}
	return "", message.Errorf("the go.mod of %s %s does not require %q", u.Module, u.Version, modulePath)
}

// Resolve finds a module version in the cache's records, or else in the user's module
// cache or through the user's GOPROXY. It records the version.
func Resolve(ctx context.Context, c *Cache, modulePath, version string) (Upstream, error) {
	if up, err := c.recordedUpstream(modulePath, version); err == nil {
		return up, nil
	}
	if IsLocal(version) {
		return Upstream{}, errNotCopied(version)
	}
	t, err := FindToolchain(ctx)
	if err != nil {
		return Upstream{}, err
	}
	up, _, err := t.download(ctx, c, modulePath, version)
	if err != nil {
		return Upstream{}, err
	}
	return up, c.recordUpstream(up)
}

// errNotCopied reports that a folder's copy is not in the cache.
func errNotCopied(version string) error {
	return message.Errorf("the source of %s is no longer in the cache: pass the checkout that it was built from with --k8s", version)
}

func (c *Cache) upstreamFile(modulePath, version string) (string, error) {
	escPath, err := module.EscapePath(modulePath)
	if err != nil {
		return "", err
	}
	escVersion, err := module.EscapeVersion(version)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.Root, "modules", strings.ReplaceAll(escPath, "/", "_")+"@"+escVersion+".json"), nil
}

var errNotRecorded = message.NewError("not recorded")

// recordedUpstream reads a record. If the record is missing or damaged, it returns an
// error, and the caller makes the record again.
func (c *Cache) recordedUpstream(modulePath, version string) (Upstream, error) {
	var up Upstream
	file, err := c.upstreamFile(modulePath, version)
	if err != nil {
		return up, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return up, err
	}
	if json.Unmarshal(data, &up) != nil || up.Module != modulePath || up.Version != version || up.Sum == "" {
		return up, errNotRecorded
	}
	if _, err := up.ModFile(); err != nil {
		return up, errNotRecorded
	}
	return up, nil
}

func (c *Cache) recordUpstream(up Upstream) error {
	file, err := c.upstreamFile(up.Module, up.Version)
	if err != nil {
		return err
	}
	return writeJSON(file, up)
}

func (t Toolchain) downloadCommand(c *Cache, modulePath, version string) Command {
	return Command{
		Stage: StageDownload, Purpose: message.Of("get upstream's source"),
		// Outside of a module, the user's go.mod and go.sum have no effect.
		Dir:  c.Root,
		Args: []string{t.Go, "mod", "download", "-json", modulePath + "@" + version},
		Env:  t.fetchEnv(c), Set: assignments(t.fetchSettings(c)),
	}
}

// download ensures that a module is in the user's module cache. It returns the
// resolved version, and the folder of the source.
func (t Toolchain) download(ctx context.Context, c *Cache, modulePath, version string) (Upstream, string, error) {
	var stdout bytes.Buffer
	var stderr tailBuffer
	runErr := t.downloadCommand(c, modulePath, version).start(ctx, &stdout, stderr.add)
	if ctx.Err() != nil {
		return Upstream{}, "", ctx.Err()
	}
	var answer struct{ Error, Version, Info, GoMod, Dir, Sum string }
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil && runErr == nil {
		return Upstream{}, "", message.Errorf("reading the output of %q: %w", "go mod download -json", err)
	}
	if answer.Error == "" && runErr != nil {
		answer.Error = stderr.String()
	}
	if answer.Error != "" {
		return Upstream{}, "", &DownloadError{Module: modulePath, Version: version, Reason: strings.Join(strings.Fields(answer.Error), " ")}
	}
	up, err := readUpstream(modulePath, cmp.Or(answer.Version, version), answer.Info, answer.GoMod)
	up.Sum = answer.Sum
	return up, answer.Dir, err
}

// Download ensures that a module is in the user's module cache. version may be a query
// such as "latest". Download returns the resolved version, and the folder of the source.
func Download(ctx context.Context, c *Cache, modulePath, version string) (Upstream, string, error) {
	t, err := FindToolchain(ctx)
	if err != nil {
		return Upstream{}, "", err
	}
	up, dir, err := t.download(ctx, c, modulePath, version)
	if err != nil {
		return Upstream{}, "", err
	}
	return up, dir, c.recordUpstream(up)
}

func readUpstream(modulePath, version, infoFile, goModFile string) (Upstream, error) {
	goMod, err := os.ReadFile(goModFile)
	if err != nil {
		return Upstream{}, message.Errorf("reading the module cache: %w", err)
	}
	data, err := os.ReadFile(infoFile)
	if err != nil {
		return Upstream{}, message.Errorf("reading the module cache: %w", err)
	}
	var info struct {
		Time   time.Time
		Origin struct{ Hash string }
	}
	if err := json.Unmarshal(data, &info); err != nil {
		return Upstream{}, message.Errorf("reading %s: %w", infoFile, err)
	}
	return Upstream{
		Module: modulePath, Version: version, GoMod: string(goMod),
		Time: info.Time.UTC(), Commit: info.Origin.Hash,
	}, nil
}

// A DownloadError reports that a module is not available: the proxy lacks it or does not
// answer.
type DownloadError struct {
	Module, Version string
	// Reason is the message of the go command, in one line.
	Reason string
}

// Unknown reports whether a module proxy answered that the version does not exist.
func (e *DownloadError) Unknown() bool {
	for _, s := range []string{"unknown revision", "invalid version", "403 Forbidden", "404 Not Found", "410 Gone"} {
		if strings.Contains(e.Reason, s) {
			return true
		}
	}
	return false
}

func (e *DownloadError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *DownloadError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *DownloadError) message() message.Message {
	if e.Unknown() {
		return message.Of("getting module %q at version %q: %s", e.Module, e.Version, e.Reason)
	}
	return message.Of("getting module %q at version %q: %s; the first build of a release needs the network: check the connection and GOPROXY (go env GOPROXY)", e.Module, e.Version, e.Reason)
}
