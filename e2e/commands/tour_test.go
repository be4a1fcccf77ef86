package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/render/tour"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// TestToursNameTheirFunctions checks that each line of source that a tour shows declares
// the function that the tour names.
func TestToursNameTheirFunctions(t *testing.T) {
	t.Parallel()
	needsServer(t)
	checkTours(t, apiserver.DefaultVersion, false)
}

// TestSlowTourOfAControlPlane checks the tour of what a request caused, which needs the
// sources of the programs beside kube-apiserver.
func TestSlowTourOfAControlPlane(t *testing.T) {
	testenv.Slow(t)
	needsServer(t)
	checkTours(t, apiserver.DefaultVersion, true)
}

// TestSlowToursOfOlderReleases checks the tours of the oldest recorded release and of
// v1.30.4. Other tests also need the sources of these releases, so no additional download
// is necessary.
func TestSlowToursOfOlderReleases(t *testing.T) {
	testenv.Slow(t)
	needsServer(t)
	releases, err := recordings.Versions()
	if err != nil {
		t.Fatal(err)
	}
	checkTours(t, releases[0].K8sVersion, false)
	checkTours(t, "v1.30.4", false)
}

// checkTours checks the tours of the recordings that have what requests caused, or of the
// others.
func checkTours(t *testing.T, version string, caused bool) {
	t.Helper()
	all, err := recordings.All(version)
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{}
	steps := 0
	for _, rec := range all {
		if caused != (len(view.NewCausalStory(rec, guide.ForReader("en", rec), "en").Lines) > 0) {
			continue
		}
		var out bytes.Buffer
		choice := tour.Choice{Most: view.StepsPerRequest(len(rec.Requests)), Lang: "en"}
		if err := tour.Write(&out, rec, guide.ForReader("en", rec), choice); err != nil {
			t.Fatal(err)
		}
		var written struct {
			Steps []struct {
				File, Description string
				Line              int
			}
		}
		if err := json.Unmarshal(out.Bytes(), &written); err != nil {
			t.Fatal(err)
		}
		for _, s := range written.Steps {
			if s.File == "" {
				continue
			}
			steps++
			function, _, _ := strings.Cut(strings.TrimPrefix(s.Description, "**`"), "`**")
			if line := lineOf(t, folders, version, s.File, s.Line); !declares(line, function) {
				t.Errorf("%s %s: expected the declaration of %s at %s:%d, found %q", version, rec.Scenario, function, s.File, s.Line, line)
			}
		}
	}
	if steps == 0 {
		t.Errorf("%s: no tour has a step in the checkout", version)
	}
	t.Logf("%s: %d steps of %d tours", version, steps, len(all))
}

// declares reports whether a line has the word "func" and, for a function that is not a
// literal, the function's name.
func declares(line, function string) bool {
	declared, literal := funcname.SplitLiteral(function)
	name := funcname.Last(funcname.Unmarked(declared))
	return strings.Contains(line, "func") && (literal != "" || strings.Contains(line, name+"(") || strings.Contains(line, name+"["))
}

// lineOf returns a line of a file in a Kubernetes checkout, or "" if the file has fewer
// lines. It reads the sources that the programs are built from. folders caches the
// folders of the sources, by program.
func lineOf(t testing.TB, folders map[string]string, version, file string, number int) string {
	t.Helper()
	at := "k8s.io/kubernetes/" + file
	for _, root := range []string{"staging/src/", "vendor/"} {
		if below, ok := strings.CutPrefix(file, root); ok {
			at = below
		}
	}
	programs := []string{apiserver.Name}
	if strings.Contains(file, "/"+sampleserver.Name+"/") {
		programs[0] = sampleserver.Name
	}
	for _, p := range controlplane.Programs() { // for files that kube-apiserver does not compile
		programs = append(programs, p.Name)
	}
	var text []byte
	for _, program := range programs {
		dir, known := folders[program]
		if !known {
			source, err := controlplane.SourceOf(t.Context(), program, apiserver.BuildOptions{Version: version})
			if err != nil {
				t.Fatal(err)
			}
			dir = source.Dir
			folders[program] = dir
		}
		var err error
		if text, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(at))); err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || program == programs[len(programs)-1] {
			t.Fatal(err)
		}
	}
	lines := strings.Split(string(text), "\n")
	if number > len(lines) {
		return ""
	}
	return lines[number-1]
}
