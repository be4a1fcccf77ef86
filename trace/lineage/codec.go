package lineage

import (
	"fmt"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/kubeapitrace/apitrace/internal/columns"
)

// Folder is the folder of the embedded file in the repository. file is the
// file's name.
const (
	Folder = "trace/lineage/data"
	file   = "names.zst"
)

// Save writes the library to its file in a folder.
func (l *Library) Save(folder string) error {
	packed, err := l.pack()
	if err != nil {
		return fmt.Errorf("writing the names: %w", err)
	}
	return renameio.WriteFile(filepath.Join(folder, file), packed, 0o644)
}

func (l *Library) pack() ([]byte, error) {
	c := columns.NewWriter()
	l.code(c)
	return c.Pack(nil)
}

// unpack reads the output of pack.
func unpack(packed []byte) (*Library, error) {
	l := new(Library)
	c, err := columns.Open(packed, nil)
	if err == nil {
		l.code(c)
		err = c.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the file of names is broken: %w; \"apitrace-dev record --names\" rebuilds it", err)
	}
	return l, nil
}

// code writes the library to c, or reads it from c.
func (l *Library) code(c *columns.Codec) {
	c.Texts("releases", &l.Releases)
	columns.List(c, "unread", &l.Unread, func(modules *[]string) { c.Texts("unread.modules", modules) })
	columns.List(c, "names", &l.Names, func(n *Name) {
		columns.Int(c, "name.kind", &n.Kind)
		c.Sorted("name.full", &n.Full)
		columns.List(c, "declarations", &n.Texts, func(t *Text) {
			c.Text("declaration.file", &t.File)
			c.Text("declaration.signature", &t.Signature)
			c.Number("declaration.in", &t.In)
		})
	})
	columns.List(c, "changes", &l.Changes, func(change *Change) {
		columns.Int(c, "change.kind", &change.Kind)
		c.Text("change.from", &change.From)
		columns.Int(c, "change.at", &change.At)
		columns.Int(c, "change.fate", &change.Fate)
		columns.Int(c, "change.alike", &change.Alike)
		c.Text("change.through", &change.Through)
		c.Texts("change.to", &change.To)
		c.Texts("change.callers", &change.Callers)
		c.Texts("change.perhaps", &change.Perhaps)
	})
}
