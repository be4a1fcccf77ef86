package workshop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// repair joins the events in the damaged file and its backup, and saves them. It moves
// the damaged file aside, and reports which events are lost.
func (s *State) repair(text []byte, missing bool, events []Event, backup []byte) ([]Event, error) {
	kept, badBackup := parseEvents(backup)
	byNumber := map[int]Event{}
	// Of two events with the same number, the file's is newer than the backup's.
	for _, e := range append(kept, events...) {
		byNumber[e.Number] = e
	}
	all := make([]Event, 0, len(byNumber))
	for _, e := range byNumber {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Event) int { return cmp.Compare(a.Number, b.Number) })
	lost := lostEvents(all)

	aside := ""
	if !missing {
		aside = s.Path + ".damaged-" + s.now().UTC().Format("20060102-150405.000")
		if err := replace(aside, text); err != nil {
			return nil, message.Errorf("moving the damaged state of the workshop aside: %w", err)
		}
	}
	for i := range all {
		all[i].Number = i + 1
	}
	if err := s.save(all); err != nil {
		return nil, err
	}
	if s.Warn != nil {
		s.Warn(s.damage(aside, all, lost, len(badBackup) == 0))
	}
	return all, nil
}

// lostEvents describes each gap in the numbers: how many events are missing between which
// events.
func lostEvents(all []Event) []message.Message {
	var lost []message.Message
	next := 1
	for i, e := range all {
		n := e.Number - next
		switch {
		case n > 0 && i > 0:
			lost = append(lost, message.Plural(n, "%d entry between %s and %s", "%d entries between %s and %s", n, all[i-1].words(), e.words()))
		case n > 0:
			lost = append(lost, message.Plural(n, "%d entry before %s", "%d entries before %s", n, e.words()))
		}
		next = e.Number + 1
	}
	return lost
}

func (e Event) words() string {
	return fmt.Sprintf("%q", strings.TrimSpace(string(e.Did)+" "+e.Exercise)+" ("+e.Time.Format("2006-01-02 15:04:05")+")")
}

// damage is the message about a damaged file.
func (s *State) damage(aside string, all []Event, lost []message.Message, backupWhole bool) message.Message {
	text := message.Of("the file with your progress, %s, was missing", s.Path)
	if aside != "" {
		text = message.Of("the file with your progress, %s, was damaged; it is kept as %s", s.Path, aside)
	}
	text = message.Plural(len(all), "%[2]s. %[1]d entry is restored", "%[2]s. %[1]d entries are restored", len(all), text)
	for _, l := range lost {
		text = message.Of("%s; lost: %s", text, l)
	}
	if len(all) == 0 {
		return message.Of("%s: all progress is lost", text)
	}
	last := all[len(all)-1].words()
	if len(lost) == 0 && backupWhole {
		return message.Of("%s, up to %s: no earlier entry is lost", text, last)
	}
	return message.Of("%s; the entries after %s are lost as well, because the backup was damaged too", text, last)
}
