package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
)

// TestFilesWithoutEnd: commands refuse a device where they expect a recording, a body or a certificate.
func TestFilesWithoutEnd(t *testing.T) {
	for _, args := range [][]string{
		{"show", "/dev/zero"}, {"import", "/dev/zero"}, {"diff", "/dev/zero", "testdata/get-node.jsonl"}, {"export", "/dev/zero", "--otlp"},
		{"request", "POST", "/api/v1/namespaces", "-f", "/dev/zero"},
	} {
		if said, status := fails(t, args...); status == 0 || !strings.Contains(said, `"/dev/zero" is not a regular file`) {
			t.Errorf("%q: status %d, %s", args, status, said)
		}
	}
}

// TestShowPipe is "apitrace show <(zcat FILE)".
func TestShowPipe(t *testing.T) {
	text, err := os.ReadFile("testdata/get-node.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, text, 0) }()
	var out, notices bytes.Buffer
	err = execute(t.Context(), []string{"apitrace", "show", pipe}, &console.Streams{In: strings.NewReader(""), Out: &out, Err: &notices})
	if err != nil || !strings.Contains(out.String(), "GET /api/v1/nodes/") {
		t.Errorf("%v\n%s%s", err, notices.String(), out.String())
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
