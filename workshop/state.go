package workshop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// An Action is something that a learner did, or that happened to an exercise of theirs.
type Action string

// The actions.
const (
	// Started makes an exercise the current one.
	Started Action = "started"
	// Tried is a wrong answer, Passed a right one.
	Tried  Action = "tried"
	Passed Action = "passed"
	// Hinted unlocked the next hint.
	Hinted Action = "hinted"
	// Revealed is the solution, seen before the exercise was passed.
	Revealed Action = "revealed"
	// Reset forgets what came before, of one exercise, or, without a name, of all.
	Reset Action = "reset"
)

// An Event is a line of the state file.
type Event struct {
	// Number counts the events from 1 on, so that a missing one is noticed.
	Number   int       `json:"n"`
	Time     time.Time `json:"time"`
	Did      Action    `json:"did"`
	Exercise string    `json:"exercise,omitempty"`
	// Answer is what was tried, and with which version of Kubernetes.
	Answer string `json:"answer,omitempty"`
	K8s    string `json:"k8s,omitempty"`
}

// A State is the file in which a learner's events are kept, one JSON object per line, and
// its backup. Several processes may use it at once.
type State struct {
	// Path is the file. Its backup is next to it, with ".backup" behind its name.
	Path string
	// Warn is told when the file was damaged: what was lost,
	// and where the damaged file is. Nil: nobody is told.
	Warn func(message.Message)
	// Now is the time; nil is the real one.
	Now func() time.Time
}

// lockWait is how long one process waits for another, which holds the lock for
// milliseconds.
const lockWait = 10 * time.Second

// Read returns the events so far.
func (s *State) Read(ctx context.Context) ([]Event, error) {
	var events []Event
	err := s.locked(ctx, func() (err error) {
		events, err = s.load()
		return err
	})
	return events, err
}

// Add records events: their number and time are filled in.
func (s *State) Add(ctx context.Context, add ...Event) error {
	return s.locked(ctx, func() error {
		events, err := s.load()
		if err != nil {
			return err
		}
		for _, e := range add {
			e.Number, e.Time = len(events)+1, s.now().UTC().Truncate(time.Second)
			events = append(events, e)
		}
		return s.save(events)
	})
}

func (s *State) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// StateError says that a file of the workshop cannot be read or written, and how to have it elsewhere.
func StateError(err error) error {
	return message.Errorf("the workshop's state: %w; set %s to a folder that can be written", err, program.StateEnv)
}

func (s *State) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o700); err != nil {
		return StateError(err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(s.Path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); errors.Is(err, context.DeadlineExceeded) {
		return message.Errorf("the workshop's state: another apitrace holds %s: %w", lock.Path(), err)
	} else if err != nil {
		return StateError(err)
	}
	defer lock.Close()
	return do()
}

// load reads the file; a damaged one it sets aside, repairs and reports.
func (s *State) load() ([]Event, error) {
	text, missing, err := readIfThere(s.Path)
	if err != nil {
		return nil, err
	}
	backup, _, err := readIfThere(s.backup())
	if err != nil {
		return nil, err
	}
	events, bad := parseEvents(text)
	kept, _ := parseEvents(backup)
	// An empty file is never written, and the backup is written last: where that has more, lines of the file are gone.
	emptied := !missing && len(text) == 0
	if len(bad) == 0 && !emptied && len(kept) <= len(events) {
		return events, nil
	}
	return s.repair(text, missing, events, backup)
}

func readIfThere(file string) (text []byte, missing bool, err error) {
	text, err = os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	} else if err != nil {
		return nil, false, StateError(err)
	}
	return text, false, nil
}

func removeIfThere(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return StateError(err)
	}
	return nil
}

func (s *State) backup() string { return s.Path + ".backup" }

// parseEvents reads lines, and lists those that are no events, or not the next one.
func parseEvents(text []byte) (events []Event, bad []string) {
	next := 1
	for line := range bytes.Lines(text) {
		var e Event
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		whole := bytes.HasSuffix(line, []byte("\n"))
		if err := decoder.Decode(&e); err != nil || e.Did == "" || !whole {
			bad = append(bad, string(line))
			continue
		}
		if e.Number != next {
			bad = append(bad, string(line))
		}
		next = e.Number + 1
		events = append(events, e)
	}
	return events, bad
}

// save writes the file, then the backup, each so that a reader sees the old one or the
// new one, never a part. Whatever happens in between, one of them is whole. Of no events
// there are no files.
func (s *State) save(events []Event) error {
	if len(events) == 0 {
		return errors.Join(removeIfThere(s.Path), removeIfThere(s.backup()))
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, e := range events {
		if err := encoder.Encode(e); err != nil {
			return StateError(err)
		}
	}
	s.removeUnfinished()
	for _, file := range []string{s.Path, s.backup()} {
		if err := replace(file, text.Bytes()); err != nil {
			return StateError(err)
		}
	}
	return nil
}

// removeUnfinished removes what processes that were killed have begun to write. The caller holds the lock, so nobody is writing.
func (s *State) removeUnfinished() {
	dir := filepath.Dir(s.Path)
	entries, _ := os.ReadDir(dir) // it is for tidiness only
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+filepath.Base(s.Path)) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// replace writes a file that others than its owner cannot read: all of it, or the old one stays. What is written lies next to
// it until it is whole, with a name that begins with a dot and the file's name.
func replace(file string, text []byte) error {
	return renameio.WriteFile(file, text, 0o600, renameio.WithStaticPermissions(0o600), renameio.WithTempDir(filepath.Dir(file)))
}
