package funcname

import (
	"slices"
	"strings"
)

// A Pattern names functions. It is a full name with "..." for any text, also for the
// empty text, as in the package patterns of the go command. In a row of four dots, the
// last one is the dot before a function's name ("pkg/registry/....Validate"). At the end
// of a pattern, the first one is this dot ("server/filters....").
type Pattern string

const (
	dots = "..."
	// genericSafe replaces GenericMark, which is part of a name, while a pattern is split
	// at its dots.
	genericSafe = "[\x01]"
)

// Exact reports whether the pattern is the name of one function.
func (p Pattern) Exact() bool { return p.Compile().Exact() }

// Match reports whether the pattern names the function.
func (p Pattern) Match(function string) bool { return p.Compile().Match(function) }

// Compile returns a matcher for the pattern. The matcher is quick.
func (p Pattern) Compile() Matcher {
	s := strings.ReplaceAll(string(p), GenericMark, genericSafe)
	s, open := strings.CutSuffix(s, dots)
	parts := strings.Split(s, dots)
	if open {
		parts = append(parts, "")
	}
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], genericSafe, GenericMark)
	}
	return Matcher{parts}
}

// A Matcher decides which functions a pattern names. The zero value names none.
type Matcher struct{ parts []string }

// Compile returns the matchers of patterns.
func Compile(patterns []Pattern) Matchers {
	var all Matchers
	for _, p := range patterns {
		all = append(all, p.Compile())
	}
	return all
}

// Matchers decide which functions any of several patterns names.
type Matchers []Matcher

// Match reports whether one of the patterns names the function.
func (all Matchers) Match(function string) bool {
	return slices.ContainsFunc(all, func(m Matcher) bool { return m.Match(function) })
}

// Exact reports whether the pattern is the name of one function.
func (m Matcher) Exact() bool { return len(m.parts) == 1 }

// Start returns the pattern up to its first wildcard.
func (m Matcher) Start() string { return m.parts[0] }

// Match reports whether the pattern names the function.
func (m Matcher) Match(function string) bool { return match(m.parts, function) }

// MatchText reports whether a text matches a pattern with "..." for any text, also for
// the empty text. It is for texts other than names: "[...]" and four dots have no meaning
// of their own.
func MatchText(pattern, text string) bool { return match(strings.Split(pattern, dots), text) }

// match reports whether a text consists of the parts, in their order, with any text
// between them.
func match(parts []string, text string) bool {
	if len(parts) < 2 {
		return len(parts) == 1 && text == parts[0]
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, text, ok = strings.Cut(text, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
