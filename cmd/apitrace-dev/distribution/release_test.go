package distribution

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestNightlyReleaseIsReproducible makes the release for this machine's platform twice,
// in two clones. The second run has an empty build cache, another time zone, language and
// GOFLAGS, and files with other modes and times. All files must be the same, byte for
// byte.
func TestNightlyReleaseIsReproducible(t *testing.T) {
	testenv.Nightly(t)
	here := runtime.GOOS + "/" + runtime.GOARCH
	first, second := t.TempDir(), t.TempDir()
	if err := Release(t.Context(), clone(t), first, here); err != nil {
		t.Fatal(err)
	}
	checkRelease(t, first)
	t.Setenv("GOCACHE", filepath.Join(t.TempDir(), "empty"))
	t.Setenv("TZ", "Asia/Shanghai")
	t.Setenv("LC_ALL", "zh_CN.UTF-8")
	t.Setenv("GOFLAGS", "-tags=other")
	folder := clone(t)
	if err := errors.Join(os.Chmod(filepath.Join(folder, "README.md"), 0o600), os.Chtimes(filepath.Join(folder, "LICENSE"), time.Now(), time.Unix(1, 0))); err != nil {
		t.Fatal(err)
	}
	if err := Release(t.Context(), folder, second, here); err != nil {
		t.Fatal(err)
	}
	names, others := filesIn(t, first), filesIn(t, second)
	if !slices.Equal(names, others) {
		t.Fatalf("the first release has the files %q, the second %q, expected the same", names, others)
	}
	for _, name := range names {
		if !bytes.Equal(read(t, first, name), read(t, second, name)) {
			t.Errorf("%s differs between two releases of one commit", name)
		}
	}
}

// clone clones the repository and returns the folder of the clone. Changes that are not
// committed are not in the clone.
func clone(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "-q", root, folder).CombinedOutput(); err != nil {
		t.Fatalf("cloning the repository, which must be a git checkout: %v\n%s", err, out)
	}
	return folder
}

func filesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, folder, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkRelease checks that the files of a release for one platform agree with each
// other, and that the archive has all files that docs/install.md promises.
func checkRelease(t *testing.T, folder string) {
	t.Helper()
	var archiveName, billName string
	for _, name := range filesIn(t, folder) {
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			archiveName = name
		case strings.HasSuffix(name, ".cdx.json"):
			billName = name
		}
	}
	sum, err := sumOf(filepath.Join(folder, archiveName))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"checksums.txt", "apitrace.yaml", "apitrace.rb"} {
		if text := string(read(t, folder, name)); !strings.Contains(text, sum) || !strings.Contains(text, archiveName) {
			t.Errorf("%s lacks the name %s or the checksum %s of the archive:\n%s", name, archiveName, sum, text)
		}
	}
	bill := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(bytes.NewReader(read(t, folder, billName)), cdx.BOMFileFormatJSON).Decode(bill); err != nil {
		t.Fatal(err)
	}
	files := unpack(t, filepath.Join(folder, archiveName))
	for _, c := range *bill.Components {
		if !slices.ContainsFunc(files, func(name string) bool { return strings.HasPrefix(name, "licenses/"+c.Name+"/") }) {
			t.Errorf("the archive has no licence of %s %s", c.Name, c.Version)
		}
		if c.Licenses == nil {
			t.Errorf("the bill of materials does not name a licence of %s %s", c.Name, c.Version)
		}
	}
	for _, name := range []string{
		"kubectl_complete-apitrace", "LICENSE", "README.md", "README.zh.md", "INSTALL.md", "INSTALL.zh.md", "completions/apitrace.bash", "completions/_apitrace", "completions/apitrace.fish",
		"completions/apitrace.ps1", "man/man1/apitrace.1", "man/man1/apitrace-serve.1", "man/man1/apitrace-cache-export.1",
		"licenses/std/LICENSE", "licenses/preact/LICENSE", "licenses/" + modulePath + "/LICENSE",
	} {
		if !slices.Contains(files, name) {
			t.Errorf("the archive lacks %s", name)
		}
	}
}

func TestLinked(t *testing.T) {
	for text, want := range map[string]string{
		"[a](docs/web.md#x) [b](#c) ![d](docs/pictures/d.png)": "[a](A/docs/web.md#x) [b](#c) ![d](A/docs/pictures/d.png)",
		"[e](https://example.org/e) [f](LICENSE)":              "[e](https://example.org/e) [f](A/LICENSE)",
	} {
		if got := string(linked([]byte(text), "README.md", "A/")); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
	if got := string(linked([]byte("[a](web.md) [b](../README.md)"), "docs/install.md", "A/")); got != "[a](A/docs/web.md) [b](A/README.md)" {
		t.Errorf("docs/install.md: got %s, expected links to A/docs/web.md and A/README.md", got)
	}
}

// unpack runs the program in an archive, and returns the names of all files in the archive.
func unpack(t *testing.T, archive string) (names []string) {
	t.Helper()
	in, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plain, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	from, to := tar.NewReader(plain), t.TempDir()
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, header.Name)
		if header.Name != "apitrace" {
			continue
		}
		content, err := io.ReadAll(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, header.Name), content, fs.FileMode(header.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(filepath.Join(to, "apitrace"), "version").CombinedOutput()
	version := regexp.MustCompile(`^apitrace_(v.+)_[a-z]+_[a-z0-9]+\.tar\.gz$`).FindStringSubmatch(filepath.Base(archive))
	if err != nil || version == nil || !strings.HasPrefix(string(out), "apitrace "+version[1]+"\n") {
		t.Errorf("the program in %s printed %q (error: %v), expected the version in the archive's name", filepath.Base(archive), out, err)
	}
	return names
}

// TestArchiveDependsOnBytesOnly writes the same files twice: from two folders, in two
// orders, with two modes on disk, and with the same time in two zones. The archives must
// be equal.
func TestArchiveDependsOnBytesOnly(t *testing.T) {
	commit := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var archives [][]byte
	for i, zone := range []*time.Location{time.UTC, time.FixedZone("east", 8*3600)} {
		folder := t.TempDir()
		licence := filepath.Join(folder, "LICENSE")
		if err := os.WriteFile(licence, []byte("free"), []fs.FileMode{0o600, 0o644}[i]); err != nil {
			t.Fatal(err)
		}
		files := []file{{name: "tool", content: []byte("run"), mode: 0o755}, {name: "LICENSE", path: licence}}
		if i == 1 {
			slices.Reverse(files)
		}
		out := filepath.Join(folder, "a.tar.gz")
		if err := writeArchive(out, files, commit.In(zone)); err != nil {
			t.Fatal(err)
		}
		archives = append(archives, read(t, folder, "a.tar.gz"))
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two archives of the same files differ, expected equal bytes")
	}
}

// TestLicencesOfPackages checks that readLicences reads the licences in a package's
// folder and in the folders above it, but not in other folders. A module without a licence
// must give an error.
func TestLicencesOfPackages(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"LICENSE.md", "used/deep/x.go", "used/NOTICE", "used/deep/license_test.go", "other/COPYING"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	m := &module{Path: "example.org/shop", Version: "v1.0.0", Dir: dir}
	files, err := m.readLicences([]string{filepath.Join(dir, "used", "deep")})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	if expected := []string{"licenses/example.org/shop/used/NOTICE", "licenses/example.org/shop/LICENSE.md"}; !slices.Equal(names, expected) {
		t.Errorf("the licences are %q, want %q", names, expected)
	}
	for _, beside := range []string{"AUTHORS", "NOTICE.txt", "PATENTS"} {
		if err := os.WriteFile(filepath.Join(dir, beside), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "LICENSE.md")); err != nil {
		t.Fatal(err)
	}
	if files, err := m.readLicences([]string{filepath.Join(dir, "used", "deep")}); err == nil {
		t.Errorf("a module with notices, but without a licence: got %+v, expected an error", files)
	}
	bare := &module{Path: "example.org/bare", Version: "v1.0.0", Dir: t.TempDir()}
	if _, err := bare.readLicences([]string{bare.Dir}); err == nil || !strings.Contains(err.Error(), "example.org/bare v1.0.0 has no licence") {
		t.Errorf("a module without a licence: got the error %v, expected one that names the module", err)
	}
}

// TestLicencesInBill checks the licences in the bill of materials for modules with one
// recognized licence, with several and with none.
func TestLicencesInBill(t *testing.T) {
	m := &module{licences: []file{{name: "licenses/m/AUTHORS"}, {name: "licenses/m/COPYING"}}}
	for _, c := range []struct {
		names                []string
		id, name, expression string
	}{
		{names: []string{"MIT"}, id: "MIT"},
		{names: []string{"Apache-2.0", "MIT"}, expression: "Apache-2.0 AND MIT"},
		{name: "see licenses/m/COPYING in the archive"},
	} {
		got := m.licence(c.names)
		var license cdx.License
		if got.License != nil {
			license = *got.License
		}
		if license.ID != c.id || license.Name != c.name || got.Expression != c.expression {
			t.Errorf("%q: the identifier %q, the name %q, the expression %q; expected %+v", c.names, license.ID, license.Name, got.Expression, c)
		}
	}
}

// TestPackageURLs checks that a package URL names the registry that the module comes
// from.
func TestPackageURLs(t *testing.T) {
	preact, err := preactModule(root)
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]*module{
		"pkg:npm/preact@" + preact.Version:   preact,
		"pkg:golang/std@1.26.0":              {Path: standardLibrary, Version: "1.26.0"},
		"pkg:golang/example.org/shop@v1.0.0": {Path: "example.org/shop", Version: "v1.0.0"},
	} {
		if got := m.packageURL(); got != want {
			t.Errorf("packageURL returned %s, expected %s", got, want)
		}
	}
}

// TestManifests checks the fields that krew requires in its manifest. It also checks that
// the formula has the address and checksum of each platform's archive.
func TestManifests(t *testing.T) {
	folder := t.TempDir()
	var archives []archive
	for _, p := range released {
		archives = append(archives, archive{platform: p, Name: "apitrace_v1.2.3_" + p.OS + "_" + p.Arch + ".tar.gz", SHA256: strings.Repeat("0", 60) + p.OS[:2] + p.Arch[:2]})
	}
	if err := errors.Join(writeManifest(filepath.Join(folder, "a.yaml"), krewManifest, "v1.2.3", archives), writeManifest(filepath.Join(folder, "a.rb"), formula, "v1.2.3", archives)); err != nil {
		t.Fatal(err)
	}
	var plugin struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Version   string
			Platforms []struct {
				Selector struct {
					MatchLabels map[string]string `yaml:"matchLabels"`
				}
				URI, Sha256, Bin string
			}
		}
	}
	if err := yaml.Unmarshal(read(t, folder, "a.yaml"), &plugin); err != nil {
		t.Fatal(err)
	}
	if plugin.Kind != "Plugin" || plugin.Metadata.Name != "apitrace" || plugin.Spec.Version != "v1.2.3" || len(plugin.Spec.Platforms) != len(archives) {
		t.Errorf("the manifest for krew is %+v: expected the plugin apitrace v1.2.3 with a platform for each archive", plugin)
	}
	rb := string(read(t, folder, "a.rb"))
	for _, a := range archives {
		url := "https://" + modulePath + "/releases/download/v1.2.3/" + a.Name
		if !strings.Contains(rb, "url \""+url+"\"\n      sha256 \""+a.SHA256+"\"") {
			t.Errorf("the formula lacks %s:\n%s", url, rb)
		}
	}
	for i, p := range plugin.Spec.Platforms {
		if a := archives[i]; p.Selector.MatchLabels["os"] != a.OS || p.Selector.MatchLabels["arch"] != a.Arch || !strings.HasSuffix(p.URI, a.Name) || p.Sha256 != a.SHA256 || p.Bin != "apitrace" {
			t.Errorf("the manifest for krew has %+v, expected the values of the archive %+v", p, a)
		}
	}
}
