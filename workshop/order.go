package workshop

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// judgeOrder compares the answer's order with the recording's.
func judgeOrder(t *traces, text string) (*Verdict, error) {
	right, err := t.rightOrder()
	if err != nil {
		return nil, err
	}
	given, err := t.exercise.readOrder(text)
	if err != nil {
		return nil, err
	}
	if slices.Equal(given, right) {
		return rightVerdict("Right: that is the order in the recording."), nil
	}
	place := places(given)
	reply, err := t.reply(func(string) bool { return false }, func(ids []string) bool {
		at := make([]int, len(ids))
		for i, id := range ids {
			at[i] = place[t.exercise.step(id)]
		}
		return slices.IsSorted(at)
	})
	if err != nil {
		return nil, err
	}
	swapped := t.firstSwapped(given, right)
	if reply == nil {
		return swapped, nil
	}
	// The reply is for all wrong orders, not for this one.
	if len(t.exercise.Wrong[reply.wrong].Puts) == 0 {
		reply.Reply = message.Of("%s\n\n%s", reply.Reply, swapped.Reply)
	}
	return reply, nil
}

// firstSwapped names the first two neighbouring steps of the answer that are in the
// wrong order.
func (t *traces) firstSwapped(given, right []int) *Verdict {
	place := places(right)
	inPlace := 0
	for i := range given {
		if given[i] == right[i] {
			inPlace++
		}
	}
	letters := t.exercise.letters(given)
	for i := 1; i < len(given); i++ {
		if place[given[i-1]] > place[given[i]] {
			return wrongVerdict("Not yet: %d of %d are in their place. In the recording, %s comes before %s.", inPlace, len(given), letters[i], letters[i-1])
		}
	}
	panic("a wrong order has no two neighbouring steps in the wrong order")
}

func places(order []int) []int {
	at := make([]int, len(order))
	for i, step := range order {
		at[step] = i
	}
	return at
}

// rightOrder returns the steps, as indexes of Exercise.Order, in the order of their
// first calls.
func (t *traces) rightOrder() ([]int, error) {
	first := make([]int, len(t.exercise.Order))
	for i := range t.exercise.Order {
		s := &t.exercise.Order[i]
		c, err := t.choose(&s.Call)
		if err != nil {
			return nil, err
		}
		if first[i] = c.first(); first[i] < 0 {
			return nil, message.Errorf("%s: the step %q does not happen in the recording", t.exercise.File, s.ID)
		}
		if j := slices.Index(first[:i], first[i]); j >= 0 {
			return nil, message.Errorf("%s: the steps %q and %q begin with the same call", t.exercise.File, t.exercise.Order[j].ID, s.ID)
		}
	}
	order := make([]int, len(first))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return first[a] - first[b] })
	return order, nil
}

// Shown returns the steps in their order on the screen, as indexes of Order. They are
// mixed, always in the same way. Step A is the first.
func (e *Exercise) Shown() []int {
	shown := make([]int, len(e.Order))
	for i := range shown {
		shown[i] = i
	}
	h := fnv.New64a()
	h.Write([]byte(e.Name))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	for len(shown) > 1 && slices.IsSorted(shown) {
		random.Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
	}
	return shown
}

// letters returns the letters under which steps are shown.
func (e *Exercise) letters(steps []int) []string {
	at := places(e.Shown())
	letters := make([]string, len(steps))
	for i, step := range steps {
		letters[i] = string(rune('A' + at[step]))
	}
	return letters
}

func (e *Exercise) step(id string) int {
	return slices.IndexFunc(e.Order, func(s Step) bool { return s.ID == id })
}

// readOrder reads letters, such as "B A C" or "bac", or ids of steps.
func (e *Exercise) readOrder(text string) ([]int, error) {
	words := strings.FieldsFunc(text, isBetween)
	if len(words) == 1 && e.step(words[0]) < 0 {
		words = strings.Split(words[0], "")
	}
	shown := e.Shown()
	var steps []int
	for _, word := range words {
		step := e.step(word)
		if letter := strings.ToUpper(word); step < 0 && len(letter) == 1 && int(letter[0])-'A' < len(shown) && letter[0] >= 'A' {
			step = shown[letter[0]-'A']
		}
		if step < 0 {
			return nil, badAnswer("%q is not one of the steps: expected their letters in the right order, such as \"%s\"", word, strings.Join(e.letters(shown), " "))
		}
		if slices.Contains(steps, step) {
			return nil, badAnswer("%s is given twice", e.letters([]int{step})[0])
		}
		steps = append(steps, step)
	}
	if len(steps) != len(e.Order) {
		missing := slices.DeleteFunc(shown, func(step int) bool { return slices.Contains(steps, step) })
		return nil, badAnswer("found %d of %d steps; missing: %s", len(steps), len(e.Order), strings.Join(e.letters(missing), " "))
	}
	return steps, nil
}
