package recordings

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// The recordings of one release are one zip file. So one scenario can be read
// without the others, and unzip -l lists the content:
//
//	info.json           the Info
//	shared.zst          data of all recordings (see shared)
//	scenarios/NAME.zst  a recording (see codec)
const (
	infoFile   = "info.json"
	sharedFile = "shared.zst"
	suffix     = ".zip"
)

// FileName is the name of a release's recordings file.
func FileName(k8sVersion string) string { return k8sVersion + suffix }

func scenarioFile(name string) string { return "scenarios/" + name + ".zst" }

// Pack returns the content of the file with the recordings of one release. It
// sets Info.Scenarios, and rounds times (see rounded). The same recordings give
// the same bytes.
func Pack(info Info, all []*trace.Recording) ([]byte, error) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b *trace.Recording) int { return strings.Compare(a.Scenario, b.Scenario) })
	info.Scenarios = nil
	for i, rec := range all {
		if rec.K8sVersion != info.K8sVersion {
			return nil, fmt.Errorf("packing the recordings of %s: the recording of %q is from %s", info.K8sVersion, rec.Scenario, rec.K8sVersion)
		}
		err := rec.Validate()
		if err == nil {
			all[i], err = rounded(rec)
		}
		if err != nil {
			return nil, fmt.Errorf("packing the recording of %q: %w", rec.Scenario, err)
		}
		info.Scenarios = append(info.Scenarios, rec.Scenario)
	}
	slices.SortFunc(info.Missing, func(a, b Missing) int { return strings.Compare(a.Scenario, b.Scenario) })
	var out bytes.Buffer
	a := &archiver{zip: zip.NewWriter(&out)}
	a.addInfo(info)
	a.addShared(all)
	for _, rec := range all {
		a.addRecording(rec)
	}
	if a.err != nil {
		return nil, fmt.Errorf("packing the recordings of %s: %w", info.K8sVersion, a.err)
	}
	err := a.zip.Close()
	return out.Bytes(), err
}

// An archiver writes the zip file. After the first error it does nothing more.
type archiver struct {
	zip    *zip.Writer
	shared *shared
	err    error
}

func (a *archiver) addInfo(info Info) {
	data, err := json.MarshalIndent(info, "", "  ")
	a.add(infoFile, zip.Deflate, data, err)
}

func (a *archiver) addShared(all []*trace.Recording) {
	if a.shared, a.err = newShared(all); a.err != nil {
		return
	}
	data, err := a.shared.encode()
	a.add(sharedFile, zip.Store, data, err)
}

func (a *archiver) addRecording(rec *trace.Recording) {
	if a.err != nil {
		return
	}
	data, err := encode(rec, a.shared)
	a.add(scenarioFile(rec.Scenario), zip.Store, data, err)
}

func (a *archiver) add(name string, method uint16, data []byte, err error) {
	if a.err == nil {
		a.err = err
	}
	if a.err != nil {
		return
	}
	// The header has no time, so that the same content gives the same file.
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = w.Write(data)
	}
	a.err = err
}

// An archive is the file of one release.
type archive struct {
	Info
	zip    *zip.Reader
	shared func() (*shared, error)
	// called caches the result of placesOfAll, because the page's server and an
	// assistant's server need it again and again. The results of all releases take 4
	// MB together.
	called func() ([][]uint32, error)
}

func openArchive(data io.ReaderAt, size int64) (*archive, error) {
	r, err := zip.NewReader(data, size)
	if err != nil {
		return nil, err
	}
	a := &archive{zip: r}
	a.shared = sync.OnceValues(func() (*shared, error) {
		packed, err := a.read(sharedFile)
		if err != nil {
			return nil, err
		}
		return decodeShared(packed)
	})
	a.called = sync.OnceValues(a.placesOfAll)
	text, err := a.read(infoFile)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &a.Info); err != nil {
		return nil, fmt.Errorf("%s: %w", infoFile, err)
	}
	a.Size = size
	return a, nil
}

func (a *archive) read(name string) ([]byte, error) {
	f, err := a.zip.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, columns.MaxSize))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// load returns a recording that the caller may change.
func (a *archive) load(scenario string) (*trace.Recording, error) { return cached.load(a, scenario) }

func (a *archive) decode(scenario string) (*trace.Recording, error) {
	shared, err := a.shared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sharedFile, err)
	}
	name := scenarioFile(scenario)
	packed, err := a.read(name)
	if err != nil {
		return nil, err
	}
	rec, err := decode(packed, shared)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

// openAll opens the archives of a folder, oldest release first.
func openAll(folder fs.FS) ([]*archive, error) {
	names, err := fs.Glob(folder, "*"+suffix)
	if err != nil {
		return nil, err
	}
	var all []*archive
	for _, name := range names {
		a, err := openFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("recordings %s: %w", name, err)
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *archive) int { return semver.Compare(a.K8sVersion, b.K8sVersion) })
	return all, nil
}

func openFile(folder fs.FS, name string) (*archive, error) {
	f, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// The file stays open. That costs nothing, because an embedded file is memory.
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("a file of %T cannot be read in parts", folder)
	}
	a, err := openArchive(at, info.Size())
	if err != nil {
		return nil, err
	}
	if want := strings.TrimSuffix(name, suffix); a.K8sVersion != want {
		return nil, fmt.Errorf("it holds %s, its name says %s", a.K8sVersion, want)
	}
	return a, nil
}
