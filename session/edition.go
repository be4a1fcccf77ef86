package session

import (
	"crypto/sha256"
	"encoding/hex"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/storage"
)

// The releases from which on an edition counts what is traced. What the guide says of older ones is not part of it, so
// that a release from before them can be added without making all recordings ones of another edition.
const (
	editionSince     = "v1.26.0"
	editionEtcdSince = "v3.5.0"
)

// sameEdition gives the name that an edition has in recordings. Those of today's packages were made when the guide's entries for
// older releases were part of an edition.
var sameEdition = map[string]string{"3938ead6aa66": "60b932bca598"}

// edition identifies what this build of apitrace traces: the packages of each program, and how calls are
// linked. It changes with the packages in the guide, but not with notes or values.
func edition() (string, error) {
	guide, err := instrument.Load()
	if err != nil {
		return "", err
	}
	return editionOf(guide)
}

func editionOf(guide *instrument.Guide) (string, error) {
	counted := map[string]instrument.ProgramGuide{}
	for name, p := range guide.Programs {
		oldest := editionSince
		if name == storage.Name {
			oldest = editionEtcdSince
		}
		counted[name] = countedFrom(oldest, *p)
	}
	programs, err := yaml.Marshal(counted)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(programs)
	edition := hex.EncodeToString(sum[:6])
	if known, ok := sameEdition[edition]; ok {
		return known, nil
	}
	return edition, nil
}

// countedFrom returns the guide of a program without what it says of releases before oldest.
func countedFrom(oldest string, p instrument.ProgramGuide) instrument.ProgramGuide {
	p.Packages = from(oldest, p.Packages, func(e *instrument.Packages) *release.Range { return &e.Range })
	p.Roots = from(oldest, p.Roots, func(e *instrument.Root) *release.Range { return &e.Range })
	p.Exits = from(oldest, p.Exits, func(e *instrument.Exit) *release.Range { return &e.Range })
	p.Handoffs = from(oldest, p.Handoffs, func(e *instrument.Handoff) *release.Range { return &e.Range })
	p.Tail = from(oldest, p.Tail, func(e *instrument.Stage) *release.Range { return &e.Range })
	return p
}

// from returns the entries that hold for the release oldest or a newer one. An entry that held before has no "since".
func from[E any](oldest string, entries []E, releases func(*E) *release.Range) []E {
	var kept []E
	for _, e := range entries {
		r := releases(&e)
		if until := (release.Range{Until: r.Until}); !until.Has(oldest) {
			continue
		}
		if since := (release.Range{Since: r.Since}); since.Has(oldest) {
			r.Since = ""
		}
		kept = append(kept, e)
	}
	return kept
}
