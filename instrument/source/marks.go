package source

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Mark is a function that was called, or may have been, from a line.
type Mark struct {
	// Line is the line that made the calls.
	Line int
	// Function is the full name of the called function.
	Function string
	// Calls is the number of calls.
	Calls int
	// NoSpan is set for a function without a span: no recording shows its calls.
	NoSpan bool
}

// SpanlessMarks lists, by line, the functions without a span that f and its literals
// call, as far as the index of the sources knows them.
func SpanlessMarks(f *Function, program string, code *recordings.Code) []Mark {
	var marks []Mark
	for _, part := range append([]Literal{{f.Name, f.Line}}, f.Literals...) {
		for _, c := range code.Spanless(program, part.Name) {
			mark := Mark{Line: part.Line + c.Line, Function: c.Name, NoSpan: true}
			if !slices.Contains(marks, mark) {
				marks = append(marks, mark)
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Line, b.Line) })
	return marks
}

// Merge merges marks in the order of their lines.
func Merge(a, b []Mark) []Mark {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Mark) int { return cmp.Compare(a.Line, b.Line) })
	return all
}

// Marks lists the functions that f and its literals called in the recordings, by line and
// in order of entry. The recordings must be of the same version as the text.
func Marks(f *Function, recordings []*trace.Recording) []Mark {
	var marks []Mark
	for _, rec := range recordings {
		for i := range rec.Requests {
			marks = addMarks(marks, f, &rec.Requests[i])
		}
	}
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.Line, b.Line) })
	return marks
}

func addMarks(marks []Mark, f *Function, r *trace.Request) []Mark {
	inText := map[string]bool{} // ids of calls that ran a part of the text
	for _, call := range r.Calls {
		if inText[call.Parent] && call.CallerLine >= f.First && call.CallerLine <= f.Last {
			marks = addMark(marks, call.CallerLine, call.Function)
		}
		if call.File == f.File && call.Line >= f.First && call.Line <= f.Last {
			inText[call.ID] = true
		}
	}
	return marks
}

func addMark(marks []Mark, line int, function string) []Mark {
	for i := range marks {
		if marks[i].Line == line && marks[i].Function == function {
			marks[i].Calls++
			return marks
		}
	}
	return append(marks, Mark{Line: line, Function: function, Calls: 1})
}
