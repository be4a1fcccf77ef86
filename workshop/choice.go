package workshop

import (
	"slices"
	"strings"
)

// judgeChoice compares the chosen statements with the statements that hold.
func judgeChoice(t *traces, text string) (*Verdict, error) {
	given, err := t.exercise.readChoice(text)
	if err != nil {
		return nil, err
	}
	right, holds, err := t.rightChoices()
	if err != nil {
		return nil, err
	}
	if slices.Equal(given, right) {
		return rightVerdict("Right."), nil
	}
	reply, err := t.reply(func(says string) bool { return says == strings.Join(given, " ") }, nil)
	if err != nil || reply != nil {
		return reply, err
	}
	for i := range t.exercise.Choose {
		letter := choiceLetter(i)
		if chosen := slices.Contains(given, letter); chosen && !holds[i] {
			return wrongVerdict("%s: %s", letter, t.exercise.Choose[i].Reply), nil
		}
	}
	return wrongVerdict("What you chose is true, but it is not complete: %d statements are true.", len(right)), nil
}

// rightChoices returns the letters of the statements that hold. holds[i] tells whether
// statement i holds.
func (t *traces) rightChoices() (letters []string, holds []bool, err error) {
	holds = make([]bool, len(t.exercise.Choose))
	for i := range t.exercise.Choose {
		if holds[i], _, err = t.ask(&t.exercise.Choose[i].Holds); err != nil {
			return nil, nil, err
		}
		if holds[i] {
			letters = append(letters, choiceLetter(i))
		}
	}
	return letters, holds, nil
}

func choiceLetter(i int) string { return string(rune('A' + i)) }

// readChoice reads the letters of statements ("A C" or "ac") and sorts them.
func (e *Exercise) readChoice(text string) ([]string, error) {
	var letters []string
	for _, r := range strings.ToUpper(text) {
		if isBetween(r) {
			continue
		}
		if i := int(r - 'A'); i < 0 || i >= len(e.Choose) {
			return nil, badAnswer("%q is not one of the statements: expected letters from A to %s", string(r), choiceLetter(len(e.Choose)-1))
		}
		letters = append(letters, string(r))
	}
	slices.Sort(letters)
	return slices.Compact(letters), nil
}
