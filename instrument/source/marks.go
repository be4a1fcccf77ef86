package source

import (
	"cmp"
	"slices"

	"github.com/kubeapitrace/apitrace/trace"
)

// A Mark is a function that was called from a line.
type Mark struct {
	// Line is the line from which the calls went out.
	Line int
	// Function is the full name of what was called.
	Function string
	// Calls counts them.
	Calls int
}

// Marks lists what recorded calls of the function, and of the literals in its text,
// called, by line
// and in order of entry. The recordings have to be of the version that the text is of.
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
