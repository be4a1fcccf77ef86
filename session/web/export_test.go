package web

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
	return s.library(p, chosen, func(part piece) error { return writePiece(folder, part) })
}
