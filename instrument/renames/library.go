package renames

import (
	"fmt"
	"slices"

	"github.com/kubeapitrace/apitrace/trace/lineage"
)

// maxReleases is the number of bits in a set of releases.
const maxReleases = 64

// A Builder builds the lineage of releases.
type Builder struct {
	library lineage.Library
	names   map[key]*lineage.Name
	last    *Source
}

// Add adds a release, newer than the ones before.
func (b *Builder) Add(s *Source) error {
	at := len(b.library.Releases)
	if at == maxReleases {
		return fmt.Errorf("the names of %s: there are %d releases, and no room for more", s.Release, at)
	}
	if b.names == nil {
		b.names = map[key]*lineage.Name{}
	}
	b.library.Releases = append(b.library.Releases, s.Release)
	b.library.Unread = append(b.library.Unread, s.Unread)
	for k, t := range s.declarations {
		n := b.names[k]
		if n == nil {
			n = &lineage.Name{Full: k.name, Kind: k.kind}
			b.names[k] = n
		}
		i := slices.IndexFunc(n.Texts, func(x lineage.Text) bool { return x.File == t.file && x.Signature == t.signature })
		if i < 0 {
			i = len(n.Texts)
			n.Texts = append(n.Texts, lineage.Text{File: t.file, Signature: t.signature})
		}
		n.Texts[i].In |= 1 << at
	}
	if b.last != nil {
		s.keep(b.last)
		for _, c := range changesBetween(b.last, s) {
			c.At = at
			b.library.Changes = append(b.library.Changes, c)
		}
	}
	b.last = s
	return nil
}

// keep copies the names of unread modules from the release before: nothing shows that
// they were removed.
func (s *Source) keep(before *Source) {
	for k, t := range before.declarations {
		if slices.ContainsFunc(s.Unread, func(module string) bool { return lineage.InModule(k.name, module) }) {
			s.declarations[k] = t
		}
	}
}

// Library returns the lineage of the added releases.
func (b *Builder) Library() *lineage.Library {
	l := b.library
	for _, n := range b.names {
		l.Names = append(l.Names, *n)
	}
	slices.SortFunc(l.Names, lineage.CompareNames)
	return &l
}
