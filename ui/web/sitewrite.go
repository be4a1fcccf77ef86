package web

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// A pieceWriter compresses and writes the pieces of a site
// on all processors, while the caller makes the next pieces.
type pieceWriter struct {
	folder string
	group  errgroup.Group
}

func newPieceWriter(folder string) *pieceWriter {
	w := &pieceWriter{folder: folder}
	w.group.SetLimit(runtime.GOMAXPROCS(0)) // put waits at this limit, because pieces may be large
	return w
}

// put writes a piece to the path where siteData in still.ts looks for
// it. The caller may change the piece after put returns. close
// returns the first error of compressing or writing.
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

// close waits until all pieces are written. It returns the first error of put's work.
func (w *pieceWriter) close() error { return w.group.Wait() }
