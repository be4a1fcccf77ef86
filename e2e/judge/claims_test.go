package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// A call is a call that stands in the text of a function.
type call struct {
	// name is the function, or the method of an interface, or "" for the value of a variable.
	name string
	// static is set if name is the function that runs.
	static bool
	// gates are the feature gates for which conditions around it ask.
	gates []string
	// branches are those around it, and the conditions before it that leave the function or the loop.
	branches []branch
}

// A branch is one around a call, or before it.
type branch struct {
	// kind is "in", "else", "past" or "loop".
	kind string
	// texts are what may be written for it, without blanks.
	texts []string
	// line is that of the file, 0 if it is not known.
	line int
	// limits are what it compares with: "time", "size", "verbosity"; nil if that is not known.
	limits map[string]bool
}

// A mention is a place where a function is called or named, or where a value of a type is made.
type mention struct {
	// in is the function that does it, "" for the variables of a package.
	in    string
	gates []string
}

// A source knows one release.
type source interface {
	// text lists the calls in the text of a function, not those in the literals within it; ok is false
	// if no traced package of the program has the function.
	text(program, function string) (calls []call, ok bool)
	// mentions lists where the traced packages mention a function, or make a value of a type.
	mentions(program, name string) []mention
	// gate says whether a feature gate of a program is on by default, if it knows the gate.
	gate(program, name string) (on, known bool)
}

// A function of a program.
type function struct{ program, name string }

// A judge checks the sentences of one comparison.
type judge struct {
	// sides are the sources by the names that sentences give the sides, a and b those names.
	sides map[string]source
	a, b  string
	// known are the functions by their short names, and called are the requests.
	known  map[string][]function
	called map[string][]trace.Request
	// tables are the feature gates of each release up to B's, the oldest first.
	tables []table
}

// A table is what the source of a release says of feature gates.
type table struct {
	release string
	gate    func(program, name string) (on, known bool)
}

func newJudge(nameA, nameB string, a, b source, recordings ...*trace.Recording) *judge {
	j := &judge{sides: map[string]source{nameA: a, nameB: b}, a: nameA, b: nameB, known: map[string][]function{}, called: map[string][]trace.Request{}}
	for i, rec := range recordings {
		j.called[[]string{nameA, nameB}[i]] = rec.Requests
		for _, r := range rec.Requests {
			for i := range r.Calls {
				c := &r.Calls[i]
				f, short := function{c.Process, c.Function}, funcname.Short(c.Function)
				if !slices.Contains(j.known[short], f) {
					j.known[short] = append(j.known[short], f)
				}
				for name := short; name != f.name; { // a sentence may need more of the path
					before := strings.TrimSuffix(strings.TrimSuffix(f.name, name), "/")
					name = f.name[strings.LastIndexByte(before, '/')+1:]
					if !slices.Contains(j.known[name], f) {
						j.known[name] = append(j.known[name], f)
					}
				}
			}
		}
	}
	return j
}

const (
	name   = `(\S+?)(?: \([^()]*\))?`
	times  = `(?: (?:once|twice|[0-9]+ times))?`
	after  = `(?:, reached [^,:]+|, handed over through [^ ,:]+)?(, new in the source|, gone from the source)?`
	middle = `(?: (through|in|by a hand-over through) ([^ ,]+))?`
)

// A rule is a kind of sentence, with the check that must hold for it. A sentence without a check speaks of the
// recordings only.
type rule struct {
	sentence *regexp.Regexp
	check    func(j *judge, m []string) error
}

func ruleOf(sentence string, check func(j *judge, m []string) error) rule {
	return rule{regexp.MustCompile("^" + sentence + "$"), check}
}

var rules = []rule{
	ruleOf(name+` now calls `+name+times+after, func(j *judge, m []string) error { return j.changed(j.b, j.a, m[1], m[2], m[3]) }),
	ruleOf(name+` no longer calls `+name+times+after, func(j *judge, m []string) error { return j.changed(j.a, j.b, m[1], m[2], m[3]) }),
	ruleOf(`here `+name+` calls `+name+times+` only in \S+, though both sources have the call`+after, func(j *judge, m []string) error { return j.both(m[1], m[2]) }),
	ruleOf(`the plugins? (.+) (?:is|are) asked only in (\S+), by (\S+)(?: and (\S+))?`, func(j *judge, m []string) error {
		return firstOf(j.asksOnly(m[2], m[1], m[3]), j.asksOnly(m[2], m[1], m[4]))
	}),
	ruleOf(name+` calls `+name+` in both, and in (\S+) it has no span: (.*?)`+after, func(j *judge, m []string) error { return j.noSpan(m[1], m[2], m[3], m[4]) }),
	ruleOf(name+` calls `+name+` in (\S+), too, in a package that is not traced: (\S+)`, func(j *judge, m []string) error { return j.untraced(m[3], m[1], m[2], m[4]) }),
	ruleOf(name+` now leads to `+name+times+middle+after, func(j *judge, m []string) error {
		return firstOf(j.leads(j.b, m[1], m[2], m[3], m[4]), j.since(j.a, m[2], m[5]))
	}),
	ruleOf(name+` no longer leads to `+name+times+middle+after, func(j *judge, m []string) error {
		return firstOf(j.leads(j.a, m[1], m[2], m[3], m[4]), j.since(j.b, m[2], m[5]))
	}),
	ruleOf(`here `+name+` leads to `+name+times+middle+` only in (\S+), by a call that both sources have`+after, func(j *judge, m []string) error {
		return firstOf(j.leads(j.a, m[1], m[2], m[3], m[4]), j.leads(j.b, m[1], m[2], m[3], m[4]))
	}),
	ruleOf(name+` leads to `+name+middle+`, which in (\S+) has no span: (.*)`, func(j *judge, m []string) error { return j.leaf(m[5], m[2], m[6]) }),
	ruleOf(`in (\S+) `+name+` leads to `+name+times+middle+after, func(j *judge, m []string) error { return j.leads(m[1], m[2], m[3], m[4], m[5]) }),
	ruleOf(`in (\S+) `+name+` calls `+name+times+after, func(j *judge, m []string) error { return j.calls(m[1], m[2], m[3]) }),
	ruleOf(name+` takes the place of `+name+`(?: between `+name+` and `+name+`)?`+after, nil),
	ruleOf(name+` now stands between `+name+` and `+name+after, func(j *judge, m []string) error { return j.between(j.b, j.a, m[2], m[1], m[4]) }),
	ruleOf(name+` no longer stands between `+name+` and `+name+after, func(j *judge, m []string) error { return j.between(j.a, j.b, m[2], m[1], m[4]) }),
	ruleOf(name+` stands between `+name+` and `+name+` only in \S+, though both sources have the call`+after, func(j *judge, m []string) error { return j.inBoth(m[1]) }),
	ruleOf(`in (\S+) `+name+` stands between `+name+` and `+name+after, nil),
	ruleOf(name+`, between `+name+` and `+name+`, has no span in (\S+): (.*)`, func(j *judge, m []string) error { return j.leaf(m[4], m[1], m[5]) }),
	ruleOf(`calls of `+name+` are nested [0-9]+ deep below `+name+` in \S+, [0-9]+ deep in \S+`, nil),
	ruleOf(name+` is now called by `+name+`, no longer by `+name, func(j *judge, m []string) error {
		return firstOf(j.changed(j.b, j.a, m[2], m[1], ""), j.changed(j.a, j.b, m[3], m[1], ""))
	}),
	ruleOf(name+` is called by `+name+` in (\S+), by `+name+` in (\S+)`, func(j *judge, m []string) error {
		return firstOf(j.calls(m[3], m[2], m[1]), j.calls(m[5], m[4], m[1]))
	}),
	ruleOf(`below `+name+`, `+name+` now runs (?:after|before) `+name+`, no longer (?:after|before) it`, nil),
	ruleOf(`below `+name+`, `+name+` runs (?:after|before) `+name+` in \S+, (?:after|before) it in \S+`, nil),
	ruleOf(`below `+name+`, `+name+` has another place in the order of calls`, nil),
	ruleOf(name+` runs below another call of `+name, nil),
	ruleOf(name+` runs below `+name+` in \S+, below `+name+` in \S+`, nil),
	ruleOf(name+` runs .* below `+name+`(?:, was .*| in \S+, .* in \S+)`, nil),
	ruleOf(name+` calls `+name+` (?:once|twice|[0-9]+ times) in \S+, `+name+` (?:once|twice|[0-9]+ times) in \S+`, func(j *judge, m []string) error {
		return firstOf(j.callsIfThere(j.a, m[1], m[2]), j.callsIfThere(j.b, m[1], m[3]))
	}),
	ruleOf(name+` calls `+name+` (?:once|twice|[0-9]+ times)(?:, was .*| in \S+, .* in \S+)`, func(j *judge, m []string) error {
		return firstOf(j.callsIfThere(j.a, m[1], m[2]), j.calls(j.b, m[1], m[2]))
	}),
	ruleOf(name+` is now in (\S+), was in (\S+)`, nil),
	ruleOf(name+` is now `+name, func(j *judge, m []string) error { return firstOf(j.absent(j.b, m[1]), j.absent(j.a, m[2])) }),
	ruleOf(`[0-9]+ functions of package (\S+) are now in (\S+)`, nil),
	ruleOf(`[0-9]+ calls? only in \S+`, nil),
	ruleOf(name+` now fails: .*|`+name+` no longer fails: .*|`+name+` fails in \S+: .*`, nil),
	ruleOf(`.+ of \S+(?: \([^()]*\))? is .*(?:, was .*| in \S+, .* in \S+)(?:; .*)?`, nil), // values
}

// judge checks a sentence.
func (j *judge) judge(sentence string) error {
	sentence, err := j.clauses(sentence)
	if err != nil {
		return err
	}
	for _, r := range rules {
		m := r.sentence.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		if r.check == nil {
			return nil
		}
		return r.check(j, m)
	}
	return fmt.Errorf("no rule knows this sentence")
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// of finds what a short name may stand for on a side: functions that its source has.
func (j *judge) of(side, short string) (all []function) {
	for _, f := range j.known[short] {
		if _, ok := j.sides[side].text(f.program, f.name); ok {
			all = append(all, f)
		}
	}
	return all
}

// A verdict says whether a text calls a function.
type verdict int

const (
	noText  verdict = iota // the source lacks the caller
	never                  // no call in the text can be one of it
	perhaps                // by an interface or a variable
	surely
)

// verdict is the strongest one of all functions that the short names may stand for.
func (j *judge) verdict(side, caller, called string) verdict {
	best := noText
	for _, v := range j.verdicts(side, caller, called) {
		best = max(best, v)
	}
	return best
}

// verdicts says of each function that the short name may stand for whether the caller's text calls it.
func (j *judge) verdicts(side, caller, called string) map[function]verdict {
	all := map[function]verdict{}
	for _, f := range j.known[caller] {
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		for _, to := range j.known[called] {
			all[to] = max(all[to], never)
			for _, c := range calls {
				switch {
				case c.static && c.name == to.name && f.program == to.program:
					all[to] = surely
				case !c.static && (c.name == "" || funcname.Last(c.name) == funcname.Last(to.name)):
					all[to] = max(all[to], perhaps)
				}
			}
		}
	}
	return all
}

// more checks that one side's text may call a function of the short name which the other's does not surely call.
func (j *judge) more(has, lacks, caller, called string) error {
	there := j.verdicts(lacks, caller, called)
	for f, v := range j.verdicts(has, caller, called) {
		if v >= perhaps && there[f] < surely {
			return nil
		}
	}
	return fmt.Errorf("the source of %s has this call, too", lacks)
}

// calls checks that a text may call a function.
func (j *judge) calls(side, caller, called string) error {
	if j.verdict(side, caller, called) <= never {
		return fmt.Errorf("the source of %s has no such call in %s", side, caller)
	}
	return nil
}

// callsIfThere is calls for a caller that may have another name on this side.
func (j *judge) callsIfThere(side, caller, called string) error {
	if j.verdict(side, caller, called) == noText {
		return nil
	}
	return j.calls(side, caller, called)
}

// changed checks that the call is in the source of one side, and not of the other.
func (j *judge) changed(has, lacks, caller, called, note string) error {
	if err := j.calls(has, caller, called); err != nil {
		return err
	}
	if note != "" {
		return j.since(lacks, called, note)
	}
	return j.more(has, lacks, caller, called)
}

// since demands of what is new or gone that the other side has it not.
func (j *judge) since(lacks, called, note string) error {
	if note == "" {
		return nil
	}
	return j.absent(lacks, called)
}

// absent checks that a function is not in the source of a side: no one of the short name that the other
// side has there as well.
func (j *judge) absent(side, short string) error {
	other := j.a
	if side == j.a {
		other = j.b
	}
	has, here := j.of(other, short), j.of(side, short)
	if len(has) > 0 && len(here) > 0 && !slices.ContainsFunc(has, func(f function) bool { return !slices.Contains(here, f) }) {
		return fmt.Errorf("the source of %s has %s", side, here[0].name)
	}
	return nil
}

// both checks that the call is in both sources. The caller may have another name on one side.
func (j *judge) both(caller, called string) error {
	inA, inB := j.verdict(j.a, caller, called), j.verdict(j.b, caller, called)
	if inA == never || inB == never || inA == noText && inB == noText {
		return fmt.Errorf("the sources do not both have this call")
	}
	return j.inBoth(called)
}

// inBoth checks that both sources have a function.
func (j *judge) inBoth(short string) error {
	for side := range j.sides {
		if len(j.of(side, short)) == 0 {
			return fmt.Errorf("the source of %s has no %s", side, short)
		}
	}
	return nil
}

// noSpan checks that both sources have the call, and that the reason is true.
func (j *judge) noSpan(caller, called, side, why string) error {
	if err := j.both(caller, called); err != nil {
		return err
	}
	return j.leaf(side, called, why)
}

// leaf demands of a function that is said to call nothing that it does not.
func (j *judge) leaf(side, short, why string) error {
	all := j.of(side, short)
	if len(all) == 0 {
		return fmt.Errorf("the source of %s has no %s", side, short)
	}
	if why != "it calls nothing there" {
		return nil
	}
	for _, f := range all {
		if calls, _ := j.sides[side].text(f.program, f.name); len(calls) == 0 {
			return nil
		}
	}
	return fmt.Errorf("in %s it calls something", side)
}

// leads checks that a text has a call of the package that is said to lie in between, and none of the function.
func (j *judge) leads(side, caller, called, how, by string) error {
	if j.verdict(side, caller, called) == surely {
		return fmt.Errorf("the source of %s has the call itself", side)
	}
	if how != "through" || !strings.ContainsAny(by, "./") && by != "sync" && by != "sort" && by != "fmt" && by != "errors" && by != "os" {
		return nil // a program, or a queue such as raft
	}
	texts := 0
	for _, f := range j.known[caller] { // one of those that go by the name
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		texts++
		if slices.ContainsFunc(calls, func(c call) bool { return c.name != "" && funcname.Package(c.name) == by }) {
			return nil
		}
	}
	if texts == 0 {
		return nil
	}
	return fmt.Errorf("in %s the text of %s calls nothing of package %s", side, caller, by)
}

// untraced checks that a text calls a function of the package, whose functions are not among those of the side.
func (j *judge) untraced(side, caller, called, pkg string) error {
	for to, v := range j.verdicts(side, caller, called) {
		if v != surely || funcname.Package(to.name) != pkg {
			continue
		}
		if _, traced := j.sides[side].text(to.program, to.name); traced {
			return fmt.Errorf("%s of %s is traced", pkg, side)
		}
		return nil
	}
	return j.leads(side, caller, called, "through", pkg)
}

// between demands of what came or went that the sources differ in it: the function itself, or the call.
func (j *judge) between(has, lacks, caller, called, note string) error {
	if len(j.of(has, called)) == 0 {
		return fmt.Errorf("the source of %s has no %s", has, called)
	}
	if note != "" {
		return j.since(lacks, called, note)
	}
	if j.verdict(lacks, caller, called) != surely {
		return nil
	}
	return j.more(has, lacks, caller, called)
}
