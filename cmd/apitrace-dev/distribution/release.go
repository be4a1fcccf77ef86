// Package distribution makes the files of a release: for each platform an archive and a
// software bill of materials, the checksums of both, a manifest for krew and a formula
// for Homebrew. "apitrace-dev dist" calls it.
//
// The same commit and the same release of Go give the same bytes on every machine. For
// this, the programs contain no paths, and every date is the date of the commit.
//
// The package does not publish the files.
package distribution

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	traced "github.com/kubeapitrace/apitrace/internal/program"
)

// A platform is an operating system and an architecture, as in Go.
type platform traced.Platform

// released are the platforms of a release.
var released = func() (all []platform) {
	for _, p := range traced.Platforms {
		all = append(all, platform(p))
	}
	return all
}()

// String returns the go command's form: "linux/amd64".
func (p platform) String() string { return traced.Platform(p).String() }

// joined returns platforms in the form that parsePlatforms reads.
func joined(platforms []platform) string {
	var names []string
	for _, p := range platforms {
		names = append(names, p.String())
	}
	return strings.Join(names, ",")
}

func parsePlatforms(list string) ([]platform, error) {
	var all []platform
	for name := range strings.SplitSeq(list, ",") {
		system, arch, ok := strings.Cut(name, "/")
		if !ok || system == "" || arch == "" {
			return nil, fmt.Errorf("invalid platform %q: expected OS/ARCH, such as linux/arm64", name)
		}
		all = append(all, platform{system, arch})
	}
	return all, nil
}

// An archive is a release's archive for one platform.
type archive struct {
	platform
	// Name is the file's name. SHA256 is its checksum in hexadecimal digits.
	Name, SHA256 string
}

// Platforms returns the platforms of a release, separated by commas, as Release reads them.
func Platforms() string { return joined(released) }

// Release writes a release's files to the folder out and replaces files of the same name.
// folder is the folder of the module. list is a list of platforms, such as
// "linux/amd64,linux/arm64".
func Release(ctx context.Context, folder, out, list string) error {
	platforms, err := parsePlatforms(list)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "apitrace-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	host, err := buildProgram(ctx, folder, work, platform{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	texts, err := host.texts(ctx, work)
	if err != nil {
		return err
	}
	var archives []archive
	sums := map[string]string{}
	for _, p := range platforms {
		built := host
		if p != host.platform {
			if built, err = buildProgram(ctx, folder, work, p); err != nil {
				return err
			}
		}
		a, err := built.write(ctx, folder, out, texts, sums)
		if err != nil {
			return err
		}
		archives = append(archives, a)
	}
	if err := writeSums(filepath.Join(out, "checksums.txt"), sums); err != nil {
		return err
	}
	return errors.Join(
		writeManifest(filepath.Join(out, "apitrace.yaml"), krewManifest, host.version, archives),
		writeManifest(filepath.Join(out, "apitrace.rb"), formula, host.version, archives))
}

// write writes a platform's archive and bill of materials, and adds their checksums to
// sums.
func (p *program) write(ctx context.Context, folder, out string, texts []file, sums map[string]string) (archive, error) {
	modules, err := p.modules(ctx, folder)
	if err != nil {
		return archive{}, err
	}
	pages, err := p.readme(folder)
	if err != nil {
		return archive{}, err
	}
	files := slices.Concat([]file{{name: "apitrace", path: p.path, mode: 0o755}}, pages, texts)
	for _, m := range modules {
		files = append(files, m.licences...)
	}
	base := fmt.Sprintf("apitrace_%s_%s_%s", p.version, p.OS, p.Arch)
	a := archive{platform: p.platform, Name: base + ".tar.gz"}
	if err := writeArchive(filepath.Join(out, a.Name), files, p.time); err != nil {
		return a, fmt.Errorf("writing %s: %w", a.Name, err)
	}
	bill := base + ".cdx.json"
	if err := p.writeBill(filepath.Join(out, bill), modules); err != nil {
		return a, fmt.Errorf("writing %s: %w", bill, err)
	}
	for _, name := range []string{a.Name, bill} {
		if sums[name], err = sumOf(filepath.Join(out, name)); err != nil {
			return a, err
		}
	}
	a.SHA256 = sums[a.Name]
	fmt.Println(filepath.Join(out, a.Name))
	return a, nil
}

// writeSums writes the checksums in the format of sha256sum(1).
func writeSums(path string, sums map[string]string) error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&text, "%s  %s\n", sums[name], name)
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// sumOf returns a file's SHA-256 sum in hexadecimal digits.
func sumOf(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:]), nil
}
