package instrument

import (
	"regexp"
	"slices"
	"strings"
)

// A Pattern names functions: a full name in which "..." stands for any text, the
// empty one too, as in the package patterns of the go command. Of four dots in a
// row the last is the dot before a function's name ("pkg/registry/....Validate"), but
// at the end of a pattern the first is ("server/filters....").
type Pattern string

const (
	wildcard = "\x00"
	// genericMark is how the runtime writes type parameters, (*Type[...]).Method. It
	// is part of a name, not a wildcard.
	genericMark = "[...]"
	genericSafe = "[\x01]"
)

var (
	dotsAtEnd = regexp.MustCompile(`\.\.\.$`)
	dots      = regexp.MustCompile(`\.\.\.`)
)

// parts splits the pattern at its wildcards.
func (p Pattern) parts() []string {
	s := strings.ReplaceAll(string(p), genericMark, genericSafe)
	s = dotsAtEnd.ReplaceAllString(s, wildcard)
	s = dots.ReplaceAllString(s, wildcard)
	return strings.Split(s, wildcard)
}

// Exact tells whether the pattern is the name of one function.
func (p Pattern) Exact() bool { return len(p.parts()) == 1 }

// Match tells whether the pattern names the function.
func (p Pattern) Match(function string) bool { return matchParts(p.parts(), function) }

// matchAny tells whether one of the patterns, in parts, names the function.
func matchAny(patterns [][]string, function string) bool {
	return slices.ContainsFunc(patterns, func(parts []string) bool { return matchParts(parts, function) })
}

func matchParts(parts []string, function string) bool {
	name := strings.ReplaceAll(function, genericMark, genericSafe)
	if len(parts) == 1 {
		return name == parts[0]
	}
	name, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, name, ok = strings.Cut(name, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}
