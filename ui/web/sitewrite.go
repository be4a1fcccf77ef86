package web

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// A pieceWriter compresses the pieces of a site and writes them, on all processors, while the next ones are made.
type pieceWriter struct {
	folder string
	group  errgroup.Group
}

func newPieceWriter(folder string) *pieceWriter {
	w := &pieceWriter{folder: folder}
	w.group.SetLimit(runtime.GOMAXPROCS(0)) // put waits where so many are at work: each may be large
	return w
}

// put writes a piece to the path from which siteData of still.ts loads it. The piece may be changed after it returns. Not
// before close does an error of writing show.
func (w *pieceWriter) put(part piece) error {
	text, err := encode(part.data)
	if err != nil {
		return err
	}
	w.group.Go(func() error {
		packed, err := compress(text)
		if err != nil {
			return err
		}
		return writeSiteFile(w.folder, "data/"+part.key+".gz", packed)
	})
	return nil
}

// close waits until all pieces are written.
func (w *pieceWriter) close() error { return w.group.Wait() }
