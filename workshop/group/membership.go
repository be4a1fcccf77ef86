package group

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
)

// A Membership is a learner's membership in a group, kept in the folder of the
// learner's progress.
type Membership struct {
	Address string `json:"address"`
	Code    string `json:"code"`
	Name    string `json:"name"`
	Token   string `json:"token"`
	// Lang is the learner's language, for the server's error messages.
	Lang string `json:"lang"`
	// Since is the number of the last event before joining. Sent is the number of the
	// last event that the server has.
	Since int `json:"since"`
	Sent  int `json:"sent"`
	// Lost is the number of events that the learner's list has lost since joining. It is
	// added to the number of each event that is sent. Otherwise the server would ignore new
	// events: it counts only events with a number above the last one.
	Lost int `json:"lost,omitempty"`
}

func file(dir string) string { return filepath.Join(dir, "group.json") }

// errNone reports that the learner is not in a group.
var errNone = message.NewError("you are not in a group: the leader's page shows the command, such as \"apitrace workshop join 192.168.1.5:4181 --code CODE\"")

func read(dir string) (*Membership, error) {
	data, err := os.ReadFile(file(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone
	}
	if err != nil {
		return nil, workshop.StateError(err)
	}
	var m Membership
	if json.Unmarshal(data, &m) != nil {
		return nil, errNone // written by another version; the learner must join again
	}
	return &m, nil
}

func (m *Membership) write(dir string) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(file(dir), append(data, '\n'), 0o600, renameio.WithStaticPermissions(0o600))
	}
	if err != nil {
		return workshop.StateError(err)
	}
	return nil
}

// events returns the learner's events from the state file.
func events(ctx context.Context, dir string) ([]workshop.Event, error) {
	state := &workshop.State{Path: filepath.Join(dir, "workshop.jsonl")}
	return state.Read(ctx)
}

// locked calls do under a lock, so that only one process sends at a time.
func locked(ctx context.Context, dir string, do func() error) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return workshop.StateError(err)
	}
	lock := flock.New(file(dir)+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return workshop.StateError(err)
	}
	defer lock.Close()
	return do()
}

// asMember calls do with the learner's membership, under the lock. Without a membership
// it returns errNone and writes no file: a reporter may begin after the learner has
// left the group or removed the folder.
func asMember(ctx context.Context, dir string, do func(*Membership) error) error {
	if _, err := read(dir); err != nil {
		return err
	}
	return locked(ctx, dir, func() error {
		m, err := read(dir)
		if err != nil {
			return err
		}
		return do(m)
	})
}

// Join makes the learner a member of a group. dir is the folder of the learner's
// progress. It returns the learner's name in the group.
func Join(ctx context.Context, dir, address, code, name, lang string) (string, error) {
	address, err := checkAddress(address)
	if err != nil {
		return "", message.ToUsageError(err)
	}
	m := &Membership{Address: address, Code: code, Lang: lang}
	err = locked(ctx, dir, func() error {
		joined, err := post[Joined](ctx, m, JoinPath, JoinRequest{Code: code, Name: name})
		if err != nil {
			return err
		}
		before, err := events(ctx, dir)
		if err != nil {
			return err
		}
		m.Name, m.Token, m.Since, m.Sent = joined.Name, joined.Token, len(before), len(before)
		return m.write(dir)
	})
	if err != nil {
		return "", err
	}
	return m.Name, nil
}

// Leave ends the membership and asks the group to forget the learner. If this request
// fails, Leave succeeds, but forgotten is false: the leader's server may still have the
// data.
func Leave(ctx context.Context, dir string) (forgotten bool, err error) {
	err = asMember(ctx, dir, func(m *Membership) error {
		_, err = post[struct{}](ctx, m, LeavePath, struct{}{})
		forgotten = err == nil
		if err := os.Remove(file(dir)); err != nil {
			return workshop.StateError(err)
		}
		return nil
	})
	return forgotten, err
}

// SendVote votes in the open poll and returns its exercise.
func SendVote(ctx context.Context, dir string, holds bool) (exercise string, err error) {
	err = asMember(ctx, dir, func(m *Membership) error {
		voted, err := post[Voted](ctx, m, VotePath, Vote{True: holds})
		if unknown(err) && m.rejoin(ctx, dir) == nil {
			voted, err = post[Voted](ctx, m, VotePath, Vote{True: holds})
		}
		if err == nil {
			exercise = voted.Exercise
		}
		return err
	})
	return exercise, err
}

// Send reports the events that the group does not have yet. If it fails, the next report
// has the events that were not sent.
func Send(ctx context.Context, dir string) error {
	return asMember(ctx, dir, func(m *Membership) error {
		all, err := events(ctx, dir)
		if err != nil {
			return err
		}
		if len(all) < m.Sent { // the list was damaged and repaired, or removed
			// Any of its events may be from before joining, so none of them is sent.
			m.Lost += m.Sent - len(all)
			m.Since, m.Sent = len(all), len(all)
			if err := m.write(dir); err != nil {
				return err
			}
		}
		rejoined := false
		for m.Sent < len(all) {
			part := all[m.Sent:min(m.Sent+MostEvents, len(all))]
			_, err := post[struct{}](ctx, m, ReportPath, Report{Events: m.reported(part)})
			if unknown(err) && !rejoined {
				rejoined = true
				if err = m.rejoin(ctx, dir); err == nil {
					continue
				}
			}
			if err != nil {
				return err
			}
			m.Sent += len(part)
			if err := m.write(dir); err != nil {
				return err
			}
		}
		return nil
	})
}

// unknown reports whether the server does not know the learner: the leader has restarted
// it, or removed the learner.
func unknown(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.status == http.StatusUnauthorized
}

// rejoin joins a server that does not know the learner. The server has no events of the
// learner, so rejoin resets Sent: all events since joining are sent again.
func (m *Membership) rejoin(ctx context.Context, dir string) error {
	m.Token = ""
	joined, err := post[Joined](ctx, m, JoinPath, JoinRequest{Code: m.Code, Name: m.Name})
	if err != nil {
		return err
	}
	m.Name, m.Token, m.Sent = joined.Name, joined.Token, m.Since
	return m.write(dir)
}

// reported returns events without the data that the group does not need: right answers,
// times and releases.
func (m *Membership) reported(list []workshop.Event) []Event {
	var sent []Event
	for _, e := range list {
		event := Event{Number: e.Number + m.Lost, Did: e.Did, Exercise: e.Exercise}
		if e.Did == workshop.Tried {
			answer := []rune(e.Answer)
			event.Answer = string(slices.Clip(answer[:min(MostAnswer, len(answer))]))
		}
		sent = append(sent, event)
	}
	return sent
}
