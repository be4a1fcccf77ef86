package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// TestWatch writes answers to the answer file while "workshop watch" runs. Each answer
// must be judged once. After the right answer, watch must show the next exercise.
func TestWatch(t *testing.T) {
	p := newTestLearner(t, "en")
	if _, err := p.types("jump", "last-stop-before-etcd"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, notices testenv.Buffer
	ended := make(chan error, 1)
	go func() {
		ended <- execute(ctx, []string{"apitrace", "workshop", "watch", "--lang", "en"}, &console.Streams{Out: &out, Err: &notices})
	}()
	file := filepath.Join(os.Getenv(program.StateEnv), "answers", "last-stop-before-etcd.txt")
	await(t, &out, "write your answer to")
	answer := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("# a comment\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answer("registry.(*Store).Get")
	await(t, &out, "✗ That function makes the key")
	answer("Get")
	await(t, &notices, `"Get" matches`)
	answer("etcd3.(*store).Get")
	await(t, &out, "✓ Right: etcd3.(*store).Get")
	await(t, &out, "Under which key?") // the next exercise
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("watch ended with %v, expected context.Canceled", err)
	}
	if n := strings.Count(out.String(), "✗ "); n != 1 {
		t.Errorf("the wrong answer was judged %d times, expected once:\n%s", n, out.String())
	}
}

// await waits until out contains the text want. Line breaks do not matter.
func await(t *testing.T, out *testenv.Buffer, want string) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(unwrapped(out.String()), unwrapped(want)) {
			return
		}
	}
	t.Fatalf("expected %q in the output, got\n%s", want, out.String())
}
