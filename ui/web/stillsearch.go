package web

import (
	"encoding/json"

	"github.com/kubeapitrace/apitrace/trace/search"
)

// searchPiece has all texts that a search can find, in the order of search results.
type searchPiece struct {
	Kinds []string `json:"kinds"`
	Texts []string `json:"texts"`
	// Shorts maps the index of a function in Texts to its short name. A function
	// without an entry has no shorter name.
	Shorts map[int]string `json:"shorts"`
	// Places has each list of places once. Place has one entry per text: the index of
	// the text's list in Places.
	Places [][]HitPlace `json:"places"`
	Place  []int        `json:"place"`
}

func packHits(hits []search.Hit) (*searchPiece, error) {
	search.Sort(hits)
	out := &searchPiece{Shorts: map[int]string{}}
	lists := numbers[string]{}
	for i, h := range hits {
		hit := hitOf(h)
		out.Kinds = append(out.Kinds, hit.Kind)
		out.Texts = append(out.Texts, hit.Text)
		if hit.Short != hit.Text {
			out.Shorts[i] = hit.Short
		}
		key, err := json.Marshal(hit.Places)
		if err != nil {
			return nil, err
		}
		number, isNew := lists.of(string(key))
		if isNew {
			out.Places = append(out.Places, hit.Places)
		}
		out.Place = append(out.Place, number)
	}
	return out, nil
}
