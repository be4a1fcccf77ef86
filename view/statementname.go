package view

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/diff"
)

// callerName names call i's caller in a sentence.
func (s *Summary) callerName(tree *trace.Tree, i int) name {
	parent := tree.Parent(i)
	if parent < 0 {
		return name{short: "-"}
	}
	return s.nameOf(tree, parent)
}

// nameOf names a caller in a sentence. If functions of several packages with
// the same short name ran on this side, the name has enough of the path to tell
// them apart. The sentence may not be true of the others.
func (s *Summary) nameOf(tree *trace.Tree, caller int) name {
	function := tree.Call(caller).Function
	short := funcname.Short(function)
	for _, other := range s.calledOn(tree)[short] {
		for other != function && strings.HasSuffix(other, "/"+short) && short != function {
			short = longer(function, short)
		}
	}
	return name{function: function, short: short}
}

// calledOn lists the functions of one side by their short names.
func (s *Summary) calledOn(tree *trace.Tree) map[string][]string {
	all := s.called[tree]
	if all == nil {
		all = map[string][]string{}
		for i := range tree.Len() {
			call := tree.Call(i)
			if name := call.ShortName(); !slices.Contains(all[name], call.Function) {
				all[name] = append(all[name], call.Function)
			}
		}
		s.called[tree] = all
	}
	return all
}

// apart returns the shortest different names of two functions. If their short
// names are equal, elements of their packages' paths are added.
func apart(a, b string) (string, string) {
	return untilApart(a, b, funcname.Short(a), funcname.Short(b))
}

// FilesApart returns the shortest different names of two files.
func FilesApart(a, b string) (string, string) {
	return untilApart(a, b, path.Base(a), path.Base(b))
}

// InWordsApart returns the two values of a change in words, shortened by valuesApart.
func InWordsApart(v diff.ValueChange) (string, string) {
	return valuesApart(InWords(v.Name, v.A), InWords(v.Name, v.B))
}

// valuesApart shortens two values as far as they stay different. Types of two
// packages may have the same short name.
func valuesApart(a, b string) (string, string) {
	shortA, shortB := Shorten(a), Shorten(b)
	if shortA != shortB || a == b {
		return shortA, shortB
	}
	if !strings.HasSuffix(a, strings.TrimPrefix(shortA, "*")) { // more than a path was left out
		return a, b
	}
	short, isPointer := strings.CutPrefix(shortA, "*")
	if !isPointer {
		return untilApart(a, b, shortA, shortB)
	}
	was, is := untilApart(strings.TrimPrefix(a, "*"), strings.TrimPrefix(b, "*"), short, short)
	return "*" + was, "*" + is
}

// untilApart adds elements of the paths of two names to their short forms until these differ.
func untilApart(a, b, shortA, shortB string) (string, string) {
	for shortA == shortB && a != b {
		shortA, shortB = longer(a, shortA), longer(b, shortB)
	}
	return shortA, shortB
}

// longer returns a longer end of the name full: it adds one path element in
// front of end.
func longer(full, end string) string {
	before := strings.TrimSuffix(strings.TrimSuffix(full, end), "/")
	return full[strings.LastIndexByte(before, '/')+1:]
}

// shortFile returns the base name of a file with its last folder.
func shortFile(file string) string {
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}

// NameWithPurpose returns a call's name in a sentence, with the purpose if many
// calls share the name.
func NameWithPurpose(call *trace.Call) string {
	if purpose := PurposeOf(call); purpose != "" {
		return fmt.Sprintf("%s (%s)", call.ShortName(), purpose)
	}
	return call.ShortName()
}

// PurposeOf returns the name, or else the type, of a call's admission plugin,
// or "".
func PurposeOf(call *trace.Call) string {
	for _, attribute := range []string{trace.AttrAdmissionPlugin, trace.AttrAdmissionType} {
		if value := call.Attributes[attribute]; value != "" {
			return text.Escape(Shorten(value))
		}
	}
	return ""
}

// ValueLabel is an attribute's name in a sentence.
func ValueLabel(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "apitrace."), ".", " ")
}

// QuoteEmpty returns a value, or two quotes for an empty one.
func QuoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}
