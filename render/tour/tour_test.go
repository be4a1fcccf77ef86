package tour_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubeapitrace/apitrace/render/tour"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

// A written is a tour as it is read back.
type written struct {
	Title, Description, Ref string
	Steps                   []struct {
		Title, Description, File string
		Line                     int
	}
}

// write writes a tour, checks it against the schema and reads it.
func write(t *testing.T, rec *trace.Recording) written {
	t.Helper()
	var out bytes.Buffer
	if err := tour.Write(&out, rec, viewtest.FirstGuide{}, tour.Choice{Most: 48, Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("testdata/tour.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%s: expected a tour that matches the schema, got the error %v", rec.Scenario, err)
	}
	var w written
	if err := json.Unmarshal(out.Bytes(), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestToursOfAllScenarios checks the tour of each recording. It must be valid and
// name the release's tag. Each step with a file must be at a recorded function in
// this file.
func TestToursOfAllScenarios(t *testing.T) {
	all, err := recordings.All("latest")
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range all {
		places := map[string]bool{}
		for _, r := range rec.Requests {
			for i := range r.Calls {
				c := &r.Calls[i]
				if path, ok := trace.KubernetesPath(c.File); ok && c.Process != "etcd" {
					places[path+"\x00"+c.ShortName()] = true
				}
			}
		}
		w := write(t, rec)
		if w.Ref != rec.K8sVersion || w.Title != rec.Scenario {
			t.Errorf("%s: got the title %q and the ref %q, expected the names of the scenario and the release", rec.Scenario, w.Title, w.Ref)
		}
		files := 0
		for _, s := range w.Steps {
			if s.File == "" {
				continue
			}
			files++
			name, _, _ := strings.Cut(strings.TrimPrefix(s.Description, "**`"), "`**")
			if !places[s.File+"\x00"+name] {
				t.Errorf("%s: a step is at %s in %s, expected a function with a recorded call", rec.Scenario, name, s.File)
			}
		}
		if files == 0 && !rec.Requests[0].IsStart() { // the first call of a start is in Go's own library
			t.Errorf("%s: got no step with a file, expected some", rec.Scenario)
		}
	}
}

// hostile returns a recording with Markdown in its texts, a call in etcd, and a
// call in an edited file.
func hostile() *trace.Recording {
	call := func(n, parent, function, file, process string) trace.Call {
		c := trace.Call{ID: "000000000000000" + n, Function: function, File: file, Line: 3, CallerLine: 7, Process: process}
		if parent != "" {
			c.Parent = "000000000000000" + parent
		}
		return c
	}
	calls := []trace.Call{
		call("1", "", "k8s.io/apiserver/pkg/registry.(*Store).Get", "k8s.io/apiserver/pkg/registry/store.go", "kube-apiserver"),
		call("2", "1", "go.etcd.io/etcd/server/v3/etcdserver.(*kvServer).Range", "go.etcd.io/etcd/server/v3/etcdserver/key.go", "etcd"),
		call("3", "1", "k8s.io/x.chainAdmissionHandler[...]", "k8s.io/x/edited.go", "kube-apiserver"),
	}
	for i := range calls {
		calls[i].StartNs = int64(i)
	}
	calls[0].Attributes = map[string]string{"apitrace.etcd.key": "``[x](command:workbench.action.quit)\n>> rm -rf /"}
	calls[2].Error = "`"
	return &trace.Recording{K8sVersion: "v1.37.1", EtcdVersion: "v3.7.0", Edited: []string{"k8s.io/x/edited.go"}, Requests: []trace.Request{{
		TraceID: "00000000000000000000000000000001", Method: "GET", Path: "/[a](command:b)", Calls: calls,
	}}}
}

// TestRecordedTextsStayCode checks that recorded texts do not become Markdown, which
// CodeTour trusts.
func TestRecordedTextsStayCode(t *testing.T) {
	w := write(t, hostile())
	for _, s := range w.Steps {
		if strings.ContainsAny(s.Title, "[]()`") {
			t.Errorf("the title of a step is %q, expected no characters of Markdown", s.Title)
		}
		for line := range strings.Lines(s.Description) {
			if strings.HasPrefix(line, ">>") {
				t.Errorf("the line %q runs a command, expected no line with >> at its beginning", line)
			}
		}
	}
	if want := "- etcd.key: ``` ``[x](command:workbench.action.quit) >> rm -rf / ```"; !strings.Contains(w.Steps[1].Description, want) {
		t.Errorf("got the description %q, expected the value as code", w.Steps[1].Description)
	}
	if strings.ContainsAny(w.Title, "[]()") {
		t.Errorf("the title of the tour is %q, expected no characters of Markdown", w.Title)
	}
}

// TestStepsOutsideTheCheckout checks that steps outside the checkout have a text and no
// file.
func TestStepsOutsideTheCheckout(t *testing.T) {
	w := write(t, hostile())
	var files []string
	for _, s := range w.Steps {
		files = append(files, s.File)
	}
	if want := []string{"", "staging/src/k8s.io/apiserver/pkg/registry/store.go", "", ""}; !slices.Equal(files, want) {
		t.Fatalf("got steps with the files %q, expected %q", files, want)
	}
	if d := w.Steps[2].Description; !strings.Contains(d, "etcd v3.7.0") || !strings.Contains(d, "<https://github.com/etcd-io/etcd/blob/v3.7.0/") {
		t.Errorf("a step in etcd: got %q, expected the version of etcd and a link", d)
	}
	if d := w.Steps[3].Description; !strings.Contains(d, "was edited") {
		t.Errorf("a step in an edited file: got %q, expected it to say so", d)
	}
}

// TestNoRefForACheckout checks that the tour has no ref if the program was built
// from a checkout, because the version of such a build is not a ref of git.
func TestNoRefForACheckout(t *testing.T) {
	rec := hostile()
	rec.K8sVersion = "v1.37.1+17e044e521.839294e4"
	if w := write(t, rec); w.Ref != "" {
		t.Errorf("got the ref %q, expected none", w.Ref)
	}
}
