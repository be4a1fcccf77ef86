package web

import (
	"errors"
)

// HistoryAnswer returns the name of a history in the kept answers.
var HistoryAnswer = historyAnswer

// WriteLists writes the files of a whole site except its
// recordings: the lists, the guide, and the texts for the search.
func WriteLists(folder string) error {
	p, err := newPacker(Options{})
	if err != nil {
		return err
	}
	s := Site{}
	chosen, _, err := s.choose()
	if err != nil {
		return err
	}
	w := newPieceWriter(folder)
	return errors.Join(s.library(p, chosen, w.put), w.close())
}

// FunctionOf looks for a function in a release.
func FunctionOf(release, query string) error {
	_, _, err := newestFunction(release, query)
	return err
}
