package judge

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// branchForm is what is said of a branch: a word, its code, and of a condition what is with it, perhaps with a type.
const branchForm = ", (where|in the branch|in the loop over) `([^`]*)`( holds| does not hold| is of type| is not of type)?(?: `([^`]*)`)?"

// Clauses say more of what a sentence tells: on which feature gate it depends, and in which branch it stands.
var (
	gateClause   = regexp.MustCompile(`^(.*): feature gate (\S+) is (on|off) by default since (v[0-9.]+)$`)
	branchClause = regexp.MustCompile("^(.*?)" + branchForm + ` \(([^ ]+):([0-9]+)\)(, else it leaves before)?` +
		`(?:, (a limit of time|a limit of size|by the verbosity of the log))?` +
		`(?:; in \S+(?:` + branchForm + `(, else it leaves before)?| in (no branch)))?` +
		`(; not asked in \S+)?$`)
	askedClause = regexp.MustCompile(`^(.*); not asked in \S+$`)
	onlyIn      = regexp.MustCompile(` only in (\S+?)(?:[,;]|$)`)
	// subject are the caller and the called function of a sentence that may have clauses, or in the last two forms
	// what stands in between and the caller.
	callsIn   = regexp.MustCompile(`^(?:here |in \S+ )?(\S+?)(?: \([^()]*\))? (?:now |no longer )?(?:calls|leads to) (\S+?)(?: \(([^()]*)\))?(?:[ ,].*)?$`)
	standsIn  = regexp.MustCompile(`^(\S+?)(?: \(([^()]*)\))? (?:now |no longer )?stands between (\S+?)(?: \([^()]*\))? and .*$`)
	takesFrom = regexp.MustCompile(`^(\S+?)(?: \(([^()]*)\))? takes the place of \S+(?: \([^()]*\))? between (\S+?)(?: \([^()]*\))? and .*$`)
)

// A claim is a sentence of which clauses tell more.
type claim struct {
	// has is the side that calls, lacks the other one.
	has, lacks, caller, called string
	purposes                   string
	// leads is set if something lies in between, so that any call of the caller may be the one, and between if the
	// sentence does not say how the caller comes to it.
	leads, between bool
}

func (j *judge) claimOf(sentence string) (claim, error) {
	c := claim{has: j.b, lacks: j.a}
	if m := onlyIn.FindStringSubmatch(sentence); m != nil && m[1] == j.a || strings.Contains(sentence, " no longer ") {
		c.has, c.lacks = j.a, j.b
	}
	if m := callsIn.FindStringSubmatch(sentence); m != nil {
		c.caller, c.called, c.purposes, c.leads = m[1], m[2], m[3], strings.Contains(sentence, " leads to ")
		return c, nil
	}
	for _, form := range []*regexp.Regexp{standsIn, takesFrom} {
		if m := form.FindStringSubmatch(sentence); m != nil {
			c.called, c.purposes, c.caller, c.between = m[1], m[2], m[3], true
			return c, nil
		}
	}
	return c, fmt.Errorf("no sentence of this form has a clause")
}

// clauses judges the clauses of a sentence, and returns it without them.
func (j *judge) clauses(sentence string) (string, error) {
	if m := gateClause.FindStringSubmatch(sentence); m != nil {
		c, err := j.claimOf(m[1])
		if err == nil {
			err = j.gate(c, m[2], m[3] == "on", m[4])
		}
		return m[1], err
	}
	if m := branchClause.FindStringSubmatch(sentence); m != nil {
		c, err := j.claimOf(m[1])
		if err == nil {
			err = j.branch(c, m)
		}
		return m[1], err
	}
	if m := askedClause.FindStringSubmatch(sentence); m != nil {
		c, err := j.claimOf(m[1])
		if err == nil {
			err = j.notAsked(c)
		}
		return m[1], err
	}
	return sentence, nil
}

// calls of the claim's caller that may be the called one, or lead to it.
func (j *judge) callsOf(side string, c claim) (all []call, file []string) {
	for _, f := range j.known[c.caller] {
		calls, ok := j.sides[side].text(f.program, f.name)
		if !ok {
			continue
		}
		file = append(file, f.name)
		all = append(all, calls...)
	}
	return all, file
}

// candidates are the calls of a text that may be of the called function; if none names it, all that may lead to it.
func (j *judge) candidates(calls []call, of claim) []call {
	if of.leads {
		return calls
	}
	var named, others []call
	for _, c := range calls {
		is := slices.ContainsFunc(j.known[of.called], func(f function) bool {
			return c.static && c.name == f.name || !c.static && (c.name == "" || funcname.Last(c.name) == funcname.Last(f.name))
		})
		if is {
			named = append(named, c)
		} else {
			others = append(others, c)
		}
	}
	if len(named) > 0 {
		return named
	}
	return others
}

// gate checks that the default of a gate in B is what is said, not in A, and since the release that is said, and that the
// call depends on it.
func (j *judge) gate(c claim, gate string, on bool, since string) error {
	err := fmt.Errorf("by the tables of %s the default of %s is not that", j.b, gate)
	for _, f := range j.known[c.called] { // of one or several programs
		if is, known := j.sides[j.b].gate(f.program, gate); known && is == on {
			if err = j.gateOf(c, f.program, gate, on, since); err == nil {
				return nil
			}
		}
	}
	return err
}

// gateOf is gate for a program.
func (j *judge) gateOf(c claim, program, gate string, on bool, since string) error {
	if was, known := j.sides[j.a].gate(program, gate); known && was == on {
		return fmt.Errorf("by the tables of %s the default of %s is the same", j.a, gate)
	}
	if err := j.sinceRelease(j.b, program, gate, on, since); err != nil {
		return err
	}
	if !j.depends(c, program, gate) {
		return fmt.Errorf("nothing in the source of %s makes %s depend on %s", c.has, c.called, gate)
	}
	return nil
}

// sinceRelease checks that a gate has its default in all releases from one on up to a side's, and had another before.
func (j *judge) sinceRelease(side, program, gate string, on bool, since string) error {
	begun := ""
	for _, t := range j.tables {
		if semver.Compare(t.release, side) > 0 {
			break
		}
		if is, known := t.gate(program, gate); !known || is != on {
			begun = ""
		} else if begun == "" {
			begun = semver.MajorMinor(t.release)
		}
	}
	if begun != since {
		return fmt.Errorf("by the tables of all releases %s has its default since %s", gate, begun)
	}
	return nil
}

// depends reports whether a call depends on a gate: a condition around it asks for the gate, or around everything that
// mentions the function, or makes the value whose method it is.
func (j *judge) depends(c claim, program, gate string) bool {
	calls, _ := j.callsOf(c.has, c)
	if slices.ContainsFunc(j.candidates(calls, c), func(made call) bool { return slices.Contains(made.gates, gate) }) {
		return true
	}
	for _, f := range j.known[c.called] {
		if f.program != program {
			continue
		}
		declared, _ := funcname.SplitLiteral(f.name)
		if j.gated(c.has, program, declared, gate, 3) || j.gated(c.has, program, typeOf(f.name), gate, 3) {
			return true
		}
	}
	return false
}

// gated reports whether every mention depends on a gate, or stands in a function of which that is so.
func (j *judge) gated(side, program, name, gate string, depth int) bool {
	mentions := j.sides[side].mentions(program, name)
	return name != "" && depth > 0 && len(mentions) > 0 && !slices.ContainsFunc(mentions, func(m mention) bool {
		return !slices.Contains(m.gates, gate) && !j.gated(side, program, m.in, gate, depth-1)
	})
}

// typeOf is the type whose method a function is, "" if it is none.
func typeOf(function string) string {
	declared, _ := funcname.SplitLiteral(function)
	pkg := funcname.Package(declared)
	typ, _, ok := strings.Cut(strings.TrimPrefix(declared[len(pkg):], "."), ".")
	if !ok {
		return ""
	}
	return pkg + "." + strings.TrimSuffix(strings.Trim(typ, "(*)"), "[...]")
}

// A form is a branch as a sentence names it: what is known of the branches that it can mean.
type form struct {
	kinds   []string
	matches func(text string) bool
}

// formOf reads the groups of branchForm, and whether the sentence says that it leaves before.
func formOf(m []string, leaves bool) (form, error) {
	is := func(texts ...string) func(string) bool {
		return func(t string) bool {
			return slices.ContainsFunc(texts, func(text string) bool {
				text = strings.ReplaceAll(text, " ", "")
				begin, cut := strings.CutSuffix(text, "…")
				return t == text || cut && strings.HasPrefix(t, begin)
			})
		}
	}
	asserts := func(t string) bool {
		a := regexp.MustCompile(`^if\w+,(\w+):=(.+)\.\((.+)\);(\w+)$`).FindStringSubmatch(t)
		return a != nil && a[1] == a[4] && a[2] == strings.ReplaceAll(m[1], " ", "") && a[3] == strings.ReplaceAll(m[3], " ", "")
	}
	text, tail, typed := m[1], strings.TrimSpace(m[2]), m[3] != ""
	switch {
	case m[0] == "where" && leaves && tail == "does not hold" && !typed:
		return form{[]string{"past"}, is("if " + text)}, nil
	case leaves:
	case m[0] == "where" && tail == "holds" && !typed:
		return form{[]string{"in"}, is("if "+text, text+" &&")}, nil
	case m[0] == "where" && tail == "does not hold" && !typed:
		return form{[]string{"else", "in"}, func(t string) bool { return is("if "+text)(t) || is(text+" ||")(t) }}, nil
	case m[0] == "where" && tail == "is of type" && typed:
		return form{[]string{"in"}, asserts}, nil
	case m[0] == "where" && tail == "is not of type" && typed:
		return form{[]string{"else"}, asserts}, nil
	case m[0] == "in the branch" && tail == "" && !typed:
		return form{[]string{"in"}, is(text)}, nil
	case m[0] == "in the loop over" && tail == "" && !typed:
		return form{[]string{"loop"}, is(text)}, nil
	}
	return form{}, fmt.Errorf("the judge does not know this form of sentence")
}

// The groups of branchClause.
const (
	groupForm, groupFile, groupLine, groupLeaves, groupLimit = 2, 6, 7, 8, 9
	groupOther, groupOtherLeaves, groupNone, groupAsked      = 10, 14, 15, 16
)

// branch checks that the call stands in the branch, in the file and the line that are said, and what is said of the other side.
func (j *judge) branch(c claim, m []string) error {
	said, err := formOf(m[groupForm:], m[groupLeaves] != "")
	if err != nil {
		return err
	}
	c.leads = c.leads || c.between
	line, _ := strconv.Atoi(m[groupLine])
	calls, in := j.callsOf(c.has, c)
	if !slices.ContainsFunc(in, func(f string) bool { return path.Base(funcname.Package(f)) == path.Dir(m[groupFile]) }) {
		return fmt.Errorf("the caller is not in package %s", path.Dir(m[groupFile]))
	}
	limit := map[string]string{"a limit of time": "time", "a limit of size": "size", "by the verbosity of the log": "verbosity"}[m[groupLimit]]
	if !slices.ContainsFunc(j.candidates(calls, c), func(made call) bool { return made.standsIn(said, line, limit) }) {
		return fmt.Errorf("in the source of %s no such call stands there", c.has)
	}
	others, _ := j.callsOf(c.lacks, c)
	others = j.candidates(others, c)
	if m[groupOther] != "" {
		other, err := formOf(m[groupOther:], m[groupOtherLeaves] != "")
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(others, func(made call) bool { return made.standsIn(other, 0, "") }) {
			return fmt.Errorf("in the source of %s no such call stands there", c.lacks)
		}
	}
	switch {
	case m[groupNone] != "" && !slices.ContainsFunc(others, func(made call) bool {
		return !slices.ContainsFunc(made.branches, func(b branch) bool { return b.kind != "past" })
	}):
		return fmt.Errorf("in the source of %s each such call stands in a branch", c.lacks)
	case m[groupAsked] != "":
		return j.notAsked(c)
	}
	return nil
}

func (c call) standsIn(said form, line int, limit string) bool {
	return slices.ContainsFunc(c.branches, func(b branch) bool {
		if line > 0 && b.line > 0 && b.line != line || limit != "" && b.limits != nil && !b.limits[limit] {
			return false
		}
		return slices.ContainsFunc(b.texts, func(t string) bool {
			// An else belongs to an if, and what stands behind || is in a branch of its own.
			return slices.Contains(said.kinds, b.kind) && said.matches(t) && (b.kind != "in" || len(said.kinds) == 1 || strings.HasSuffix(t, "||"))
		})
	})
}

// asksOnly checks that a caller asks each of the plugins on one side, and on the other side none of them at least once. No caller asks
// nothing.
func (j *judge) asksOnly(side, plugins, caller string) error {
	if caller == "" {
		return nil
	}
	c := claim{has: j.a, lacks: j.b, caller: caller, purposes: plugins}
	if side == j.b {
		c.has, c.lacks = j.b, j.a
	}
	for _, plugin := range strings.Split(plugins, ", ") {
		if !j.asks(c.has, caller, plugin) {
			return fmt.Errorf("%s does not ask %s in %s", caller, plugin, c.has)
		}
	}
	return j.notAsked(c)
}

// asks reports whether a caller asks a plugin in one of a side's requests.
func (j *judge) asks(side, caller, plugin string) bool {
	for i := range j.called[side] {
		tree, err := trace.NewTree(&j.called[side][i])
		if err != nil {
			return false
		}
		for at := 1; at < tree.Len(); at++ {
			attributes := tree.Call(at).Attributes
			if tree.Call(tree.Parent(at)).ShortName() == caller && (attributes[trace.AttrAdmissionPlugin] == plugin || attributes[trace.AttrAdmissionType] == plugin) {
				return true
			}
		}
	}
	return false
}

// notAsked checks that there is a call of the caller on the other side below which none is for any of the plugins.
func (j *judge) notAsked(c claim) error {
	plugins := strings.Split(c.purposes, ", ")
	for i := range j.called[c.lacks] {
		tree, err := trace.NewTree(&j.called[c.lacks][i])
		if err != nil {
			return err
		}
		for at := range tree.Len() {
			if tree.Call(at).ShortName() != c.caller {
				continue
			}
			asked := false
			for child := range tree.Children(at) {
				attributes := tree.Call(child).Attributes
				asked = asked || slices.Contains(plugins, attributes[trace.AttrAdmissionPlugin]) || slices.Contains(plugins, attributes[trace.AttrAdmissionType])
			}
			if !asked {
				return nil
			}
		}
	}
	return fmt.Errorf("%s asks it in every request", c.lacks)
}
