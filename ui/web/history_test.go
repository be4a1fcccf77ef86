package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestHistoryIsKept requests the same history from several
// servers, one after the other. They share a cache.
func TestHistoryIsKept(t *testing.T) {
	cache, err := program.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(lang string) string {
		t.Helper()
		response, body := get(t, start(t, web.Options{Answers: cache.Answers()})+web.Base+"/history?scenario=get-node&lang="+lang)
		if response.StatusCode != 200 {
			t.Fatalf("got the status %s: %s", response.Status, body)
		}
		return string(body)
	}
	first := ask("en")
	if chinese := ask("zh"); chinese == first {
		t.Error("the Chinese history is the same as the English history")
	}
	name := web.HistoryAnswer("get-node", "en")
	kept, err := cache.Answers().Get(name)
	if err != nil || kept == nil {
		t.Fatalf("the kept history is %q, with the error %v", kept, err)
	}
	if again := ask("en"); again != first {
		t.Errorf("a later server returns another history:\n%s\nexpected:\n%s", again, first)
	}
	// A later server uses the kept history and compares nothing.
	if err := cache.Answers().Put(name, []byte(strings.Replace(string(kept), "GET one node", "kept", 1))); err != nil {
		t.Fatal(err)
	}
	if again := ask("en"); !strings.Contains(again, `"title":"kept`) {
		t.Errorf("the kept history was not used: %.200s", again)
	}
	// A damaged history is made and kept again.
	files, err := filepath.Glob(filepath.Join(cache.Root, "answers", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the kept files are %q, with the error %v; expected one file for each language", files, err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if again := ask("en"); again != first {
		t.Errorf("after damage, the history is %.200s, expected the first one again", again)
	}
	if healed, err := cache.Answers().Get(name); err != nil || string(healed) != string(kept) {
		t.Errorf("after damage, the kept history is %.200q, with the error %v, expected the undamaged one", healed, err)
	}
}

// BenchmarkHistory requests the history of the largest scenario from a new
// server. The scenario is the start of kube-apiserver, in all releases.
func BenchmarkHistory(b *testing.B) {
	for b.Loop() {
		server := start(b, web.Options{})
		if response, body := get(b, server+web.Base+"/history?scenario=boot"); response.StatusCode != 200 {
			b.Fatalf("%s: %s", response.Status, body)
		}
	}
}
