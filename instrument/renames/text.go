package renames

import (
	"go/scanner"
	"go/token"
)

// shingleWidth is the number of tokens in a shingle.
// With fewer, different texts look alike.
// With more, small changes count too much.
const shingleWidth = 4

// setText sets the tokens of a text, without comments.
// self, the receiver's name, does not count: a method that moved to another type
// mostly has another receiver name.
func (t *declaration) setText(code []byte, self string) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(code)), code, nil, 0)
	var words []string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		switch {
		case tok == token.SEMICOLON:
			continue
		case tok == token.IDENT && lit == self && self != "":
			lit = "self"
		case lit == "":
			lit = tok.String()
		}
		words = append(words, lit)
	}
	t.tokens, t.hash = len(words), hashOf(words...)
	t.shingles = map[uint64]bool{}
	for i := 0; i+shingleWidth <= len(words); i++ {
		t.shingles[hashOf(words[i:i+shingleWidth]...)] = true
	}
}

// similarity returns the equal share of two texts, from 0 to 1.
func similarity(a, b *declaration) float64 {
	if a.hash == b.hash {
		return 1
	}
	if len(a.shingles)+len(b.shingles) == 0 {
		return 0
	}
	return min(0.99, 2*float64(common(a, b))/float64(len(a.shingles)+len(b.shingles)))
}

func common(a, b *declaration) int {
	n := 0
	if len(b.shingles) < len(a.shingles) {
		a, b = b, a
	}
	for s := range a.shingles {
		if b.shingles[s] {
			n++
		}
	}
	return n
}
