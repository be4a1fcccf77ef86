package recordings

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// maxTotal is the maximum number of bytes that the recordings may add to the binary.
const maxTotal = 16_000_000

func TestVersions(t *testing.T) {
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, info := range all {
		total += info.Size
		if info.EtcdVersion == "" || info.Recorded.IsZero() || info.Apitrace == "" || info.Go == "" || info.Command == "" {
			t.Errorf("the Info of %s lacks a version or how the recordings were made: %+v", info.K8sVersion, info)
		}
		if strings.HasSuffix(info.Apitrace, "-dirty") {
			t.Errorf("%s was recorded by %s: record from a clean commit", info.K8sVersion, info.Apitrace)
		}
	}
	t.Logf("%d releases, %d bytes", len(all), total)
	if total > maxTotal {
		t.Errorf("all recordings take %d bytes, expected at most %d", total, maxTotal)
	}
}

// TestLoad checks that each listed recording can be read, and has the scenario and the
// versions under which it is listed.
func TestLoad(t *testing.T) { loadAll(t) }

func TestSlowLoad(t *testing.T) {
	testenv.Slow(t)
	loadAll(t)
}

func loadAll(t *testing.T) {
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range testenv.Releases(t, all) {
		for _, scenario := range info.Scenarios {
			rec, err := Load(info.K8sVersion, scenario)
			if err != nil {
				t.Errorf("%s %s: %v", info.K8sVersion, scenario, err)
			} else if rec.Scenario != scenario || rec.K8sVersion != info.K8sVersion || rec.EtcdVersion != info.EtcdVersion {
				t.Errorf("%s %s: the recording has the scenario %s, Kubernetes %s and etcd %s, expected those of the list", info.K8sVersion, scenario, rec.Scenario, rec.K8sVersion, rec.EtcdVersion)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	latest := all[len(all)-1].K8sVersion
	for in, want := range map[string]string{
		"v1.30.4": "v1.30.4", "1.30.4": "v1.30.4", "1.30": "v1.30.4", "v1.30": "v1.30.4", "latest": latest, "": latest,
	} {
		if got, err := Resolve(in); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v, expected %q", in, got, err, want)
		}
	}
	for _, in := range []string{"v1.30.3", "1.30.3"} {
		if _, err := Resolve(in); err == nil || !strings.HasSuffix(err.Error(), "the recorded release of this minor version is v1.30.4") {
			t.Errorf("Resolve(%q): %v, expected an error that names v1.30.4", in, err)
		}
	}
	for _, in := range []string{"1.3", "1", "v", "vv1.30", "1.99", "newest"} {
		_, err := Resolve(in)
		var unknown *UnknownVersionError
		if !errors.As(err, &unknown) || len(unknown.Recorded) != len(all) || !strings.Contains(err.Error(), latest) {
			t.Errorf("Resolve(%q): %v, expected an error that lists the recorded releases", in, err)
		}
	}
}

// folder packs recordings into files, as "apitrace-dev record" does.
func folder(t *testing.T, infos ...Info) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, info := range infos {
		rec := small()
		rec.K8sVersion = info.K8sVersion
		packed, err := Pack(info, []*trace.Recording{rec})
		if err != nil {
			t.Fatal(err)
		}
		files[FileName(info.K8sVersion)] = &fstest.MapFile{Data: packed}
	}
	return files
}

func TestPack(t *testing.T) {
	other := small()
	other.Scenario = "another"
	info := Info{K8sVersion: "v1.30.4", Missing: []Missing{{"z", "too new"}, {"x", "too old"}}}
	one, err := Pack(info, []*trace.Recording{small(), other})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Pack(info, []*trace.Recording{other, small()})
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("packing the recordings in another order gives other bytes, expected the same (error %v)", err)
	}
	a, err := openArchive(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Scenarios, " "); got != "another buy" || a.Why("x").String() != "too old" || a.Size != int64(len(one)) {
		t.Errorf("got the Info %+v, expected the packed scenarios, the reason for x and the size of the file", a.Info)
	}
	wrong := small()
	wrong.Requests[0].Calls[1].Parent = ""
	if _, err := Pack(info, []*trace.Recording{wrong}); err == nil {
		t.Error("Pack of calls that are not a tree returned no error")
	}
	wrong = small()
	wrong.K8sVersion = "v1.31.0"
	if _, err := Pack(info, []*trace.Recording{wrong}); err == nil || !strings.Contains(err.Error(), "v1.31.0") {
		t.Errorf("Pack of a recording of v1.31.0 returned the error %v, expected an error that names v1.31.0", err)
	}
}

func TestOpenAll(t *testing.T) {
	all, err := openAll(folder(t, Info{K8sVersion: "v1.30.4"}, Info{K8sVersion: "v1.4.0"}, Info{K8sVersion: "v1.31.10"}))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, a := range all {
		order = append(order, a.K8sVersion)
	}
	if got := strings.Join(order, " "); got != "v1.4.0 v1.30.4 v1.31.10" {
		t.Errorf("got the releases in the order %s, expected the oldest first", got)
	}
	renamed := folder(t, Info{K8sVersion: "v1.30.4"})
	renamed["v1.30.5.zip"] = renamed["v1.30.4.zip"]
	if _, err := openAll(renamed); err == nil || !strings.Contains(err.Error(), "it holds v1.30.4, its name says v1.30.5") {
		t.Errorf("openAll of a renamed file returned the error %v, expected an error with both versions", err)
	}
}

// TestSpoilt checks that reading a cut or changed file never gives another recording.
func TestSpoilt(t *testing.T) {
	files := folder(t, Info{K8sVersion: "v1.30.4"})
	packed := files["v1.30.4.zip"].Data
	for cut := range packed {
		if _, err := openAndLoad(fstest.MapFS{"v1.30.4.zip": {Data: packed[:cut]}}); err == nil {
			t.Errorf("reading the first %d of %d bytes returned no error", cut, len(packed))
		}
	}
	for i := range packed {
		spoilt := bytes.Clone(packed)
		spoilt[i] ^= 0x10
		// Some bytes of a zip file have no meaning. If one of these was changed, the
		// recording must be the packed one.
		rec, err := openAndLoad(fstest.MapFS{"v1.30.4.zip": {Data: spoilt}})
		if err == nil && len(rec.Requests[0].Calls) != 4 {
			t.Errorf("after a change of byte %d, another recording was read, expected an error or the packed recording", i)
		}
	}
}

func openAndLoad(files fs.FS) (*trace.Recording, error) {
	all, err := openAll(files)
	if err != nil {
		return nil, err
	}
	return all[0].load("buy")
}

func TestUnknownScenario(t *testing.T) {
	_, err := Load("1.30", "no-such-scenario")
	var unknown *UnknownScenarioError
	if !errors.As(err, &unknown) || unknown.K8sVersion != "v1.30.4" {
		t.Errorf("got the error %v, expected an UnknownScenarioError for v1.30.4", err)
	}
	// An error with a known reason why v1.30.4 could not run the scenario:
	e := &UnknownScenarioError{Scenario: "x", K8sVersion: "v1.30.4", Reason: message.Of("it needs v1.32"), RecordedBy: []string{"v1.32.2", "v1.33.13"}}
	const want = `there is no recording of scenario "x" by Kubernetes v1.30.4: it needs v1.32; these releases have recorded it: v1.32.2, v1.33.13`
	if e.Error() != want {
		t.Errorf("got %s, expected the reason and the releases with a recording", e)
	}
}

func TestRange(t *testing.T) {
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Range("1.30", "latest")
	if err != nil || got[0].K8sVersion != "v1.30.4" || got[len(got)-1].K8sVersion != all[len(all)-1].K8sVersion {
		t.Errorf("Range(1.30, latest) = %+v, %v, expected v1.30.4 to the newest release", got, err)
	}
	if got, err := Range("latest", "1.30"); err != nil || len(got) != 0 {
		t.Errorf("Range(latest, 1.30) = %+v, %v, expected an empty list", got, err)
	}
	if _, err := Range("1.30", "1.99"); err == nil {
		t.Error("Range to the unknown release 1.99 returned no error")
	}
}

// BenchmarkLoad measures loading one scenario, which must cost less than loading all.
func BenchmarkLoad(b *testing.B) {
	all, err := Versions()
	if err != nil {
		b.Fatal(err)
	}
	version := all[len(all)-1].K8sVersion
	for b.Loop() {
		archives, err := reopen()
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range archives {
			if a.K8sVersion != version {
				continue
			}
			if _, err := a.decode("create-deployment"); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// reopen opens the embedded files as a new process would.
func reopen() ([]*archive, error) {
	data, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return openAll(data)
}

func TestShape(t *testing.T) {
	one := small().Requests
	calls := one[0].Calls // 2 and 4 below 1, 3 below 2
	calls[1].Function, calls[2].Function, calls[3].Function = "b", "c", "a"
	got, err := Shape(one)
	if want := "# GET /cart -> 500\nexample.org/shop.Take\n  a\n  b\n    c\n"; err != nil || got != want {
		t.Errorf("got %v\n%s\nexpected\n%s", err, got, want)
	}
	calls[2].Parent = calls[0].ID
	if other, err := Shape(one); err != nil || other == got {
		t.Errorf("after a call moved below another call, Shape returned the same text, expected another (error %v)", err)
	}
	calls[3].Parent = "00000000000000ff"
	if _, err := Shape(one); err == nil {
		t.Error("Shape of calls that are not a tree returned no error")
	}
}
