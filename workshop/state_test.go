package workshop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// testState returns a state in a folder of its own, and its warnings.
func testState(t *testing.T) (*State, *[]message.Message) {
	t.Helper()
	var warned []message.Message
	now := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	return &State{
		Path: filepath.Join(t.TempDir(), "apitrace", "workshop.jsonl"),
		Warn: func(text message.Message) { warned = append(warned, text) },
		Now:  func() time.Time { now = now.Add(time.Minute); return now },
	}, &warned
}

func add(t *testing.T, s *State, exercises ...string) {
	t.Helper()
	for _, e := range exercises {
		if err := s.Add(t.Context(), Event{Did: Passed, Exercise: e}); err != nil {
			t.Fatal(err)
		}
	}
}

// has checks that exactly these exercises are passed.
func has(t *testing.T, s *State, exercises ...string) {
	t.Helper()
	events, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, e := range events {
		got = append(got, e.Exercise)
		if e.Number != i+1 {
			t.Errorf("event %d has the number %d, expected its place in the list", i+1, e.Number)
		}
	}
	if strings.Join(got, " ") != strings.Join(exercises, " ") {
		t.Errorf("the state has %q, expected %q", got, exercises)
	}
}

func TestStateIsPrivate(t *testing.T) {
	s, _ := testState(t)
	add(t, s, "a")
	for _, file := range []string{s.Path, s.backup()} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, expected 0600", file, info.Mode())
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.Path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q, %v", left, err)
	}
}

// TestDamagedState damages the file and the backup in the ways that a crash or a person can.
func TestDamagedState(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(t *testing.T, s *State)
		has    string
		warns  string
		zh     string
	}{
		"cut in the middle of a line": {
			func(t *testing.T, s *State) { truncate(t, s.Path, 3) }, "a b c", "no earlier entry is lost", "没有丢失"},
		"empty": {
			func(t *testing.T, s *State) { write(t, s.Path, "") }, "a b c", "is kept as", "已损坏"},
		"the last line gone": {
			func(t *testing.T, s *State) { withoutLine(t, s.Path, 3) }, "a b c", "no earlier entry is lost", "没有丢失"},
		"gone": {
			func(t *testing.T, s *State) { remove(t, s.Path) }, "a b c", "was missing", "不见了"},
		"not text at all": {
			func(t *testing.T, s *State) { write(t, s.Path, "\x00\x01\x02") }, "a b c", "is kept as", "已损坏"},
		"both cut": {
			func(t *testing.T, s *State) { truncate(t, s.Path, 3); truncate(t, s.backup(), 3) }, "a b", `the entries after "passed b (2026-11-21 04:02:00)" are lost`, "之后的内容也已丢失"},
		"a line in the middle gone from both": {
			func(t *testing.T, s *State) { withoutLine(t, s.Path, 2); withoutLine(t, s.backup(), 2) },
			"a c", `lost: 1 entry between "passed a (2026-11-21 04:01:00)" and "passed c (2026-11-21 04:03:00)"`, "1 条记录"},
		"both emptied": {
			func(t *testing.T, s *State) { write(t, s.Path, ""); write(t, s.backup(), "") }, "", "all progress is lost", "全部进度已丢失"},
		"all gone but garbage": {
			func(t *testing.T, s *State) { write(t, s.Path, "?\n"); write(t, s.backup(), "?\n") }, "", "all progress is lost", "全部进度已丢失"},
	} {
		t.Run(name, func(t *testing.T) {
			s, warned := testState(t)
			add(t, s, "a", "b", "c")
			c.damage(t, s)
			before, _ := os.ReadFile(s.Path)

			has(t, s, strings.Fields(c.has)...)
			if len(*warned) != 1 || !strings.Contains((*warned)[0].String(), c.warns) || !strings.Contains((*warned)[0].In("zh"), c.zh) {
				t.Fatalf("the warnings are %q, expected one with %q and, in Chinese, %q", *warned, c.warns, c.zh)
			}
			if name != "gone" {
				aside, err := filepath.Glob(s.Path + ".damaged-*")
				if err != nil || len(aside) != 1 || !strings.Contains((*warned)[0].String(), aside[0]) {
					t.Fatalf("kept are the files %q (%v), expected one file that the warning names", aside, err)
				}
				if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, before) {
					t.Errorf("the kept file is %q, %v, expected the damaged file", kept, err)
				}
			}
			add(t, s, "d")
			has(t, s, append(strings.Fields(c.has), "d")...)
			if len(*warned) != 1 {
				t.Errorf("after the repair, the warnings are %q, expected no more", *warned)
			}
		})
	}
}

func truncate(t *testing.T, file string, less int64) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, info.Size()-less); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func withoutLine(t *testing.T, file string, number int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	write(t, file, strings.Join(append(lines[:number-1], lines[number:]...), ""))
}

// TestInterruptedWrite kills processes that write all the time. The state must have each
// event that a process acknowledged.
func TestInterruptedWrite(t *testing.T) {
	s, warned := testState(t)
	acknowledged := 0
	for range 8 {
		writer := helper(t, s, "forever")
		out, err := writer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 3 { // so that it writes by now, however slow the machine is
			if lines.Scan() {
				acknowledged++
			}
		}
		time.Sleep(10 * time.Millisecond) // any moment will do
		if err := writer.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			acknowledged++
		}
		_ = writer.Wait()
	}
	events, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The last event of each process may have been written, but not acknowledged.
	if n := len(events); acknowledged == 0 || n < acknowledged || n > acknowledged+8 {
		t.Errorf("the state has %d events, and %d were acknowledged, expected at most 8 more than these", n, acknowledged)
	}
	if len(*warned) > 0 {
		t.Errorf("a killed writer has damaged the file: %q", *warned)
	}
	write(t, filepath.Join(filepath.Dir(s.Path), "."+filepath.Base(s.Path)+"123"), "{") // perhaps no killed process has left one
	if err := s.Add(t.Context(), Event{Did: Passed, Exercise: "last"}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(s.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if !strings.HasPrefix(file.Name(), filepath.Base(s.Path)) {
			t.Errorf("the temporary file %s is left", file.Name())
		}
	}
}

// TestTwoAtOnce lets processes write at the same time. The state must have each event once.
func TestTwoAtOnce(t *testing.T) {
	s, warned := testState(t)
	const writers, each = 4, 20
	var running []*exec.Cmd
	for i := range writers {
		writer := helper(t, s, fmt.Sprintf("w%d", i))
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, writer)
	}
	for _, writer := range running {
		if err := writer.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	events, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, e := range events {
		seen[e.Exercise]++
	}
	if len(events) != writers*each || len(seen) != writers*each {
		t.Errorf("the state has %d events of %d exercises, expected %d of each", len(events), len(seen), writers*each)
	}
	if len(*warned) > 0 {
		t.Errorf("the warnings are %q, expected none", *warned)
	}
}

const helperEnv = "APITRACE_TEST_WRITER"

// helper returns a command that runs this test binary, which then writes events to the
// state.
func helper(t *testing.T, s *State, name string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, "-test.run=^TestMain$")
	command.Env = append(os.Environ(), helperEnv+"="+name, "APITRACE_TEST_STATE="+s.Path)
	return command
}

func TestMain(m *testing.M) {
	if name := os.Getenv(helperEnv); name != "" {
		writeEvents(name, &State{Path: os.Getenv("APITRACE_TEST_STATE")})
		return
	}
	os.Exit(m.Run())
}

func writeEvents(name string, s *State) {
	for i := 0; name == "forever" || i < 20; i++ {
		if err := s.Add(context.Background(), Event{Did: Passed, Exercise: fmt.Sprintf("%s-%d", name, i)}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}
