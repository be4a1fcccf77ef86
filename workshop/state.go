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

// An Action is the kind of an Event.
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
	// Revealed showed the solution before the exercise was passed.
	Revealed Action = "revealed"
	// Reset forgets the earlier events of one exercise, or of all exercises if there is
	// no name.
	Reset Action = "reset"
)

// An Event is a line of the state file.
type Event struct {
	// Number counts the events from 1 on, to detect missing ones.
	Number   int       `json:"n"`
	Time     time.Time `json:"time"`
	Did      Action    `json:"did"`
	Exercise string    `json:"exercise,omitempty"`
	// Answer is the answer, tried with the version K8s of Kubernetes.
	Answer string `json:"answer,omitempty"`
	K8s    string `json:"k8s,omitempty"`
}

// A State is the file with a learner's events, one JSON object per line, and its
// backup. Several processes may use it at once.
type State struct {
	// Path is the file's path. The backup is next to it, with the suffix ".backup".
	Path string
	// Warn, if not nil, is called if the file was damaged or missing. The message says
	// which events were lost, and where the damaged file is kept.
	Warn func(message.Message)
	// Now returns the time; nil means the real time.
	Now func() time.Time
}

// lockWait is the longest time that one process waits for another. A process holds the
// lock for milliseconds.
const lockWait = 10 * time.Second

// Read returns all events.
func (s *State) Read(ctx context.Context) ([]Event, error) {
	var events []Event
	err := s.locked(ctx, func() (err error) {
		events, err = s.load()
		return err
	})
	return events, err
}

// Add appends events and sets their number and time.
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

// StateError reports that a workshop file cannot be read or written, and how to choose
// another folder.
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

// load reads the file, and repairs it if damaged; see repair.
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
	// The file is never written empty, and the backup is written last. So if the backup
	// has more events than the file, the file has lost lines.
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

// parseEvents reads lines. bad lists the lines that are not an event, or do not have the
// next number. In the latter case, the event is in events, too.
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

// save writes the file, then the backup. Readers see the old or the new text, never a
// part. So the file or the backup is whole at any time. Without events, save removes both.
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

// removeUnfinished removes temporary files of killed processes. The caller must hold
// the lock, so that nobody is writing.
func (s *State) removeUnfinished() {
	dir := filepath.Dir(s.Path)
	entries, _ := os.ReadDir(dir) // errors do not matter: this only tidies up
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+filepath.Base(s.Path)) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// replace writes a file that only its owner can read. The whole file is written, or
// the old one stays. The temporary file is in the same folder; its name is a dot, the
// file's name, and a random number.
func replace(file string, text []byte) error {
	return renameio.WriteFile(file, text, 0o600, renameio.WithStaticPermissions(0o600), renameio.WithTempDir(filepath.Dir(file)))
}
