package program

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAnswers(t *testing.T) {
	c := newCache(t)
	a := c.Answers()
	if data, err := a.Get("boot"); data != nil || err != nil {
		t.Errorf("Get before Put: got %q, %v, want nothing", data, err)
	}
	if list, err := c.Entries(KindAnswers); len(list) != 0 || err != nil {
		t.Errorf("entries before Put: got %+v, %v, want none", list, err)
	}
	must(t, a.Put("boot", []byte("one\ntwo")))
	if data, err := c.Answers().Get("boot"); string(data) != "one\ntwo" || err != nil {
		t.Errorf("Get after Put: got %q, %v, want the data", data, err)
	}
	if data, err := a.Get("get-node"); data != nil || err != nil {
		t.Errorf("Get with another name: got %q, %v, want nothing", data, err)
	}
	other := c.Answers()
	other.self = func() (string, error) { return "another executable", nil }
	if data, err := other.Get("boot"); data != nil || err != nil {
		t.Errorf("Get of another executable: got %q, %v, want nothing", data, err)
	}

	// A damaged answer counts as missing, and is kept again.
	file, err := a.file("boot")
	must(t, err)
	whole, err := os.ReadFile(file)
	must(t, err)
	for name, damaged := range map[string][]byte{"cut": whole[:len(whole)-1], "empty": {}, "changed": bytes.Replace(whole, []byte("two"), []byte("twp"), 1)} {
		must(t, os.WriteFile(file, damaged, 0o600))
		if data, err := a.Get("boot"); data != nil || err != nil {
			t.Errorf("a file that is %s: got %q, %v, want nothing", name, data, err)
		}
		must(t, a.Put("boot", []byte("again")))
		if data, err := a.Get("boot"); string(data) != "again" || err != nil {
			t.Errorf("a file that was %s, after Put: got %q, %v, want \"again\"", name, data, err)
		}
	}

	list, err := c.Entries(KindAnswers)
	must(t, err)
	if len(list) != 1 || list[0].Kind != KindAnswers || list[0].Size == 0 || !list[0].Complete {
		t.Fatalf("entries after Put: %+v, want one complete entry for all answers", list)
	}
	must(t, c.Remove(list[0]))
	if data, err := a.Get("boot"); data != nil || err != nil {
		t.Errorf("Get after Remove: got %q, %v, want nothing", data, err)
	}
}

// TestKeep checks that an answer is produced once, again if its file is damaged, and each time without a cache.
func TestKeep(t *testing.T) {
	c := newCache(t)
	produced := 0
	keep := func(a *Answers, want string) {
		t.Helper()
		data, err := a.Keep("n", func() ([]byte, error) { produced++; return fmt.Append(nil, produced), nil })
		if string(data) != want || err != nil {
			t.Errorf("got %q, %v; expected %q", data, err, want)
		}
	}
	keep(c.Answers(), "1")
	keep(c.Answers(), "1")
	file, err := c.Answers().file("n")
	must(t, err)
	must(t, os.WriteFile(file, []byte("damaged"), 0o600))
	keep(c.Answers(), "2")
	keep(c.Answers(), "2")
	keep(nil, "3")
	keep(nil, "4")
	broken := errors.New("broken")
	if data, err := c.Answers().Keep("other", func() ([]byte, error) { return []byte("half"), broken }); data != nil || !errors.Is(err, broken) {
		t.Errorf("Keep with a failing produce: got %q, %v, want the error", data, err)
	}
	if data, err := c.Answers().Get("other"); data != nil || err != nil {
		t.Errorf("Get after a failing produce: got %q, %v, want nothing", data, err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	a := newCache(t).Answers()
	a.maxSize = 500
	text := []byte(strings.Repeat("x", 100)) // 165 bytes with the checksum
	for i, name := range []string{"first", "second", "third"} {
		must(t, a.Put(name, text))
		file, err := a.file(name)
		must(t, err)
		used := time.Now().Add(time.Duration(i-10) * time.Minute)
		must(t, os.Chtimes(file, used, used))
	}
	if data, err := a.Get("first"); data == nil || err != nil { // makes it the last used answer
		t.Fatalf("Get: got %q, %v, want the data", data, err)
	}
	must(t, a.Put("fourth", text))
	for name, want := range map[string]bool{"first": true, "second": false, "third": true, "fourth": true} {
		if data, err := a.Get(name); err != nil || (data != nil) != want {
			t.Errorf("%s: kept %v, %v; want %v", name, data != nil, err, want)
		}
	}
}

// TestAnswersOfSeveralProcesses writes and reads the same answers in several goroutines. The
// maximum size is so small that each goroutine removes answers.
func TestAnswersOfSeveralProcesses(t *testing.T) {
	c := newCache(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			a := c.Answers()
			a.maxSize = 1000
			for i := range 50 {
				name := string(rune('a' + i%10))
				want := strings.Repeat(name, 100+i%3)
				if err := a.Put(name, []byte(want)); err != nil {
					t.Error(err)
				}
				data, err := a.Get(name)
				if err != nil || data != nil && strings.Trim(string(data), name) != "" {
					t.Errorf("Get(%s): got %.20q, %v, want the data or nothing", name, data, err)
				}
			}
		})
	}
	wait.Wait()
	left, err := filepath.Glob(filepath.Join(c.Answers().dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %q, %v", left, err)
	}
}
