package web

import "errors"

// HistoryAnswer is the name under which a history is kept.
var HistoryAnswer = historyAnswer

// WriteLists writes what a site of the whole library has besides its recordings: the lists, the guide, and the texts of the search.
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
