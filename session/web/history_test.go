package web_test

import (
	"testing"

	"github.com/kubeapitrace/apitrace/session/web"
)

// BenchmarkHistory asks a new server for the history of the largest scenario: the starts of kube-apiserver of all releases.
func BenchmarkHistory(b *testing.B) {
	for b.Loop() {
		server := start(b, web.Options{})
		if response, body := get(b, server+web.Base+"/history?scenario=boot"); response.StatusCode != 200 {
			b.Fatalf("%s: %s", response.Status, body)
		}
	}
}
