package session

import (
	"crypto/sha256"
	"encoding/hex"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/release"
	"github.com/kubeapitrace/apitrace/storage"
)

// An edition covers the guide's entries for these releases of Kubernetes and etcd, and for
// newer ones. So entries for an older release do not change the edition of every recording.
const (
	editionSince     = "v1.26.0"
	editionEtcdSince = "v3.5.0"
)

// sameEdition maps an edition to the equivalent edition in recordings. When these
// recordings were made, an edition also covered the entries for older releases.
var sameEdition = map[string]string{"3938ead6aa66": "60b932bca598"}

// edition returns a hash that identifies, for this build of apitrace, which packages of
// each program are traced and how calls are linked. Notes and values do not change it.
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
		if !recorded(name) {
			continue
		}
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

// recorded reports whether recordings have calls of a program of the guide. The programs
// beside kube-apiserver are traced, but no recording has them.
func recorded(program string) bool {
	_, ok := traced.Find(apiserver.Programs(), program)
	return ok
}

// countedFrom returns a program's guide without entries for releases before oldest.
func countedFrom(oldest string, p instrument.ProgramGuide) instrument.ProgramGuide {
	p.Packages = from(oldest, p.Packages, func(e *instrument.Packages) *release.Range { return &e.Range })
	p.Roots = from(oldest, p.Roots, func(e *instrument.Root) *release.Range { return &e.Range })
	p.Exits = from(oldest, p.Exits, func(e *instrument.Exit) *release.Range { return &e.Range })
	p.Handoffs = from(oldest, p.Handoffs, func(e *instrument.Handoff) *release.Range { return &e.Range })
	p.Tail = from(oldest, p.Tail, func(e *instrument.Stage) *release.Range { return &e.Range })
	return p
}

// from returns the entries that hold for oldest or a newer release. In entries that hold
// for oldest, it clears Since.
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
