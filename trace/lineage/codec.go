package lineage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"
)

// Folder is the folder of the embedded file in the repository, and file its name.
const (
	Folder = "trace/lineage/data"
	file   = "names.zst"
)

// Save writes the file of a library into a folder.
func (l *Library) Save(folder string) error {
	packed, err := l.pack()
	if err != nil {
		return fmt.Errorf("writing the names: %w", err)
	}
	return renameio.WriteFile(filepath.Join(folder, file), packed, 0o644)
}

// A packer writes texts, each once, and numbers.
type packer struct {
	raw   []byte
	texts map[string]int
	all   []byte
}

func (p *packer) number(n uint64) { p.raw = binary.AppendUvarint(p.raw, n) }

func (p *packer) text(s string) {
	at, ok := p.texts[s]
	if !ok {
		at = len(p.texts)
		p.texts[s] = at
		p.all = binary.AppendUvarint(p.all, uint64(len(s)))
		p.all = append(p.all, s...)
	}
	p.number(uint64(at))
}

func (p *packer) list(texts []string) {
	p.number(uint64(len(texts)))
	for _, s := range texts {
		p.text(s)
	}
}

func (l *Library) pack() ([]byte, error) {
	p := &packer{texts: map[string]int{}}
	p.list(l.Releases)
	for _, modules := range l.Unread {
		p.list(modules)
	}
	p.number(uint64(len(l.Names)))
	before := ""
	for _, n := range l.Names {
		shared := 0
		for shared < min(len(before), len(n.Full)) && before[shared] == n.Full[shared] {
			shared++
		}
		p.number(uint64(n.Kind))
		p.number(uint64(shared))
		p.number(uint64(len(n.Full) - shared))
		p.raw = append(p.raw, n.Full[shared:]...)
		before = n.Full
	}
	for _, n := range l.Names {
		p.number(uint64(len(n.Texts)))
		for _, t := range n.Texts {
			p.text(t.File)
			p.text(t.Signature)
			p.number(t.In)
		}
	}
	p.number(uint64(len(l.Changes)))
	for _, c := range l.Changes {
		p.number(uint64(c.Kind))
		p.text(c.From)
		p.number(uint64(c.At))
		p.number(uint64(c.Fate))
		p.number(uint64(c.Alike))
		p.text(c.Through)
		p.list(c.To)
		p.list(c.Callers)
		p.list(c.Perhaps)
	}
	whole := binary.AppendUvarint(nil, uint64(len(p.texts)))
	whole = append(append(whole, p.all...), p.raw...)
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, err
	}
	_, err = w.Write(whole)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

var errBroken = errors.New("the file of names is broken: \"apitrace-dev record --names\" makes it anew")

// An unpacker reads what a packer wrote. After the first thing that is not there, all is zero.
type unpacker struct {
	rest   []byte
	texts  []string
	broken bool
}

func (u *unpacker) number() uint64 {
	v, n := binary.Uvarint(u.rest)
	if n <= 0 {
		u.broken, u.rest = true, nil
		return 0
	}
	u.rest = u.rest[n:]
	return v
}

// count reads the length of a list, each element of which takes a byte or more.
func (u *unpacker) count() int {
	n := u.number()
	if n > uint64(len(u.rest)) {
		u.broken, u.rest = true, nil
		return 0
	}
	return int(n)
}

func (u *unpacker) bytes(n int) string {
	if n > len(u.rest) {
		u.broken, u.rest = true, nil
		return ""
	}
	s := string(u.rest[:n])
	u.rest = u.rest[n:]
	return s
}

func (u *unpacker) text() string {
	at := u.number()
	if at >= uint64(len(u.texts)) {
		u.broken = true
		return ""
	}
	return u.texts[at]
}

func (u *unpacker) list() []string {
	n := u.count()
	if n == 0 {
		return nil
	}
	all := make([]string, n)
	for i := range all {
		all[i] = u.text()
	}
	return all
}

// unpack reads the output of pack.
func unpack(packed []byte) (*Library, error) {
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBroken, err)
	}
	u := &unpacker{rest: raw}
	u.texts = make([]string, u.count())
	for i := range u.texts {
		u.texts[i] = u.bytes(u.count())
	}
	l := &Library{Releases: u.list()}
	for range l.Releases {
		l.Unread = append(l.Unread, u.list())
	}
	l.Names = make([]Name, u.count())
	before := ""
	for i := range l.Names {
		n := &l.Names[i]
		n.Kind = Kind(u.number())
		shared := min(int(u.number()), len(before))
		n.Full = before[:shared] + u.bytes(u.count())
		before = n.Full
	}
	for i := range l.Names {
		l.Names[i].Texts = make([]Text, u.count())
		for j := range l.Names[i].Texts {
			l.Names[i].Texts[j] = Text{File: u.text(), Signature: u.text(), In: u.number()}
		}
	}
	l.Changes = make([]Change, u.count())
	for i := range l.Changes {
		l.Changes[i] = Change{Kind: Kind(u.number()), From: u.text(), At: int(u.number()), Fate: Fate(u.number()),
			Alike: int(u.number()), Through: u.text(), To: u.list(), Callers: u.list(), Perhaps: u.list()}
	}
	if u.broken || len(u.rest) > 0 {
		return nil, errBroken
	}
	return l, nil
}
