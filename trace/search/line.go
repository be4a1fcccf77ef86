package search

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Line is a line of a released file, and the function that it belongs to.
type Line struct {
	Release string
	// Program is a program with the file, kube-apiserver if it has it.
	Program string
	// File is named as in trace.Call. Number is the number of the line.
	File   string
	Number int
	// Function is the full name of the function, and Begins the line of its word "func".
	Function string
	Begins   int
	// Sure is set if the function begins in the line, or if the source shows that the
	// line is in its text. Otherwise, the source is not known, and the function is the
	// recorded one that begins last before the line.
	Sure bool
	// Scenarios are the recorded scenarios of the release that call the function.
	Scenarios []string
}

// Enclosing finds the innermost function with a line in the source of a program of a release.
// The name is "" if the line is in no function. It returns an error if the source is not known.
type Enclosing func(program, release, file string, line int) (name string, begins int, err error)

// mostLines is the maximum number of files in which FindLines finds the line.
const mostLines = 12

// FindLines returns the lines that a text such as "rbac.go:67" means in a release: one for
// each file with a function there. The file may be given by the end of its path. Lines near
// the beginning of their function come first. Any other text means none. enclosing may be nil.
func FindLines(query, release string, enclosing Enclosing) ([]Line, error) {
	file, number, ok := lineOf(query)
	if !ok {
		return nil, nil
	}
	release, err := recordings.Resolve(cmp.Or(release, recordings.Latest))
	if err != nil {
		return nil, err
	}
	called, err := recordings.Functions(release)
	if err != nil {
		return nil, err
	}
	files, err := filesNamed(file, release, called)
	if err != nil {
		return nil, err
	}
	var all []Line
	for name, program := range files {
		if l := lineIn(Line{Release: release, Program: program, File: name, Number: number}, called, enclosing); l.Function != "" {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b Line) int { return cmp.Or(cmp.Compare(b.Begins, a.Begins), cmp.Compare(a.File, b.File)) })
	return all[:min(len(all), mostLines)], nil
}

var lineText = regexp.MustCompile(`^([^\s:]+\.go):([1-9][0-9]{0,5})$`)

// lineOf divides a text such as "rbac.go:67".
func lineOf(query string) (file string, number int, ok bool) {
	parts := lineText.FindStringSubmatch(strings.TrimSpace(query))
	if parts == nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(parts[2])
	return parts[1], number, err == nil
}

// filesNamed returns the files of the traced packages of a release whose path ends with name,
// each with its program. called are the functions that the recordings of the release call.
func filesNamed(name, release string, called []recordings.Function) (map[string]string, error) {
	files := map[string]string{}
	add := func(file, program string) {
		if strings.HasSuffix("/"+file, "/"+name) && (files[file] == "" || program == trace.ProcessAPIServer) {
			files[file] = program
		}
	}
	for _, f := range called {
		add(f.File, f.Process)
	}
	code, err := recordings.CodeOf(release)
	if err != nil || code == nil {
		return files, err
	}
	for _, program := range code.Programs() {
		for _, f := range code.Functions(program) {
			if f.File == path.Base(name) {
				add(funcname.Package(f.Name)+"/"+f.File, program)
			}
		}
	}
	return files, nil
}

// lineIn finds the function of a line. Function stays "" if there is none.
func lineIn(l Line, called []recordings.Function, enclosing Enclosing) Line {
	sure := false
	if enclosing != nil {
		if name, begins, err := enclosing(l.Program, l.Release, l.File, l.Number); err == nil {
			l.Function, l.Begins, l.Sure, sure = name, begins, name != "", true
		}
	}
	for _, f := range called {
		switch {
		case f.File != l.File:
		case sure && f.Name == l.Function:
			l.Scenarios = f.Scenarios
		case !sure && f.Line > 0 && f.Line <= l.Number && beginsAfter(f, l):
			l.Function, l.Begins, l.Sure, l.Scenarios = f.Name, f.Line, f.Line == l.Number, f.Scenarios
		}
	}
	return l
}

// beginsAfter reports whether a function begins after the function of a line. Of functions in
// one line of text, the shorter name is the one that has the others in its text.
func beginsAfter(f recordings.Function, l Line) bool {
	return f.Line > l.Begins || f.Line == l.Begins && len(f.Name) < len(l.Function)
}

// Says says in a sentence what is known of the line.
func (l *Line) Says() message.Message {
	file := path.Join(path.Base(path.Dir(l.File)), path.Base(l.File))
	switch {
	case l.Begins == l.Number:
		return message.Of("begins in line %d of %s in %s", l.Begins, file, l.Release)
	case l.Sure:
		return message.Of("has line %d of %s in %s; it begins in line %d", l.Number, file, l.Release, l.Begins)
	}
	return message.Of("the recorded function that begins last before line %d of %s in %s, in line %d; without the source, it is not known where it ends", l.Number, file, l.Release, l.Begins)
}

// Command returns the command that tells about the function of the line.
func (l *Line) Command() string {
	return "apitrace explain " + text.ShellWord(funcname.Short(l.Function)) + " --k8s " + l.Release
}
