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

// TestFilesWithoutEnd checks that commands refuse the endless device /dev/zero where they
// expect a recording or a body.
func TestFilesWithoutEnd(t *testing.T) {
	for _, args := range [][]string{
		{"show", "/dev/zero"}, {"import", "/dev/zero"}, {"diff", "/dev/zero", "testdata/get-node.jsonl"}, {"export", "/dev/zero", "--otlp"},
		{"request", "POST", "/api/v1/namespaces", "-f", "/dev/zero"},
	} {
		if said, status := fails(t, args...); status == 0 || !strings.Contains(said, `"/dev/zero" is not a regular file`) {
			t.Errorf("%q: exit status %d and output %s, expected an error about /dev/zero", args, status, said)
		}
	}
}

// TestShowPipe shows a recording from a named pipe, as the shell passes it for "apitrace
// show <(zcat FILE)".
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
		t.Errorf("show of a pipe: got the error %v and the output\n%s%s\nexpected the trace", err, notices.String(), out.String())
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
