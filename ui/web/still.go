package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A piece is the data that a page without a server has under one key. src/still.ts
// answers the API's routes from the pieces. The keys are:
//
//	library                        the lists, and the first request to show
//	recording/RELEASE/SCENARIO     a recording without its calls
//	calls/RELEASE/SCENARIO/NUMBER  the calls of a request
//	diff/SCENARIO/FROM/TO/LANG     a comparison of two releases, in one language
//	diff/SCENARIO/FROM/TO/calls    for each call: the functions that are compared
//	compare/RELEASE/FROM/TO/…      the same two for a comparison of scenarios
//	hunks/FROM/TO/PROCESS/FOLDER   the changed parts of a package's functions
//	source/PROCESS/FOLDER          the called functions of a package, in all releases
//	notices/PROCESS                the licences of the sources
//	search                         the texts that can be searched
//	answers/PATH                   the answer to a path that belongs to no recording;
//	                               the path is below Base
type piece struct {
	key  string
	data any
}

// answers has unchanged answers of the API. A key is a path
// below Base with its query.
type answers map[string]json.RawMessage

// libraryPiece lists the releases, the scenarios and their recordings.
type libraryPiece struct {
	// First is the request that the page shows first.
	First firstShown `json:"first"`
	// Pages names the pages that have data (views.ts). Start is the address that
	// the page begins with. If it is empty, the page begins with First.
	Pages []string `json:"pages"`
	Start string   `json:"start,omitempty"`
	// Comparisons says which recordings can be compared: "one" pair of recordings, or
	// "neighbours", the successive releases of each scenario.
	Comparisons string `json:"comparisons,omitempty"`
	// Apitrace is the version that wrote the data.
	Apitrace string  `json:"apitrace"`
	Answers  answers `json:"answers"`
}

type firstShown struct {
	Release  string `json:"release"`
	Scenario string `json:"scenario"`
	Request  int    `json:"request"`
}

// recordingPiece is a recording without its calls. The keys of its answers are paths
// and queries below the path of the recording.
type recordingPiece struct {
	Answers answers `json:"answers"`
	// Sources is the key of the recording's sources.
	Sources string `json:"sources,omitempty"`
}

// A packer makes the pieces of a page without a server, from answers of the API.
type packer struct {
	api     *api
	handler http.Handler
	book    *sourceBook
	// changed has the pairs of functions to compare. The key has the keys of
	// the sources of both sides.
	changed map[[2]string]map[changedPair]bool
}

func newPacker(o Options) (*packer, error) {
	a := newAPI(o, newLive(nil, &recordingStore{}, 0))
	a.library.source = remember(a.library.source)
	handler, err := a.handler()
	if err != nil {
		return nil, err
	}
	return &packer{a, handler, newSourceBook(), map[[2]string]map[changedPair]bool{}}, nil
}

// remember caches the results of find, because find takes time to check that a folder of
// the cache is complete.
func remember(find SourceFolder) SourceFolder {
	type found struct {
		folder string
		err    error
	}
	known := map[[2]string]found{}
	return func(process, k8sVersion string) (string, error) {
		key := [2]string{process, k8sVersion}
		f, ok := known[key]
		if !ok {
			f.folder, f.err = find(process, k8sVersion)
			known[key] = f
		}
		return f.folder, f.err
	}
}

// pageLanguages are the languages of the page.
var pageLanguages = []string{"en", "zh"}

// unchangedAddresses lists addresses below a request. A page without a server has
// the API's answers to them, unchanged. The parameters must be in alphabetical
// order, as in write in still.ts.
var unchangedAddresses = []string{"view?lang=%s", "view?lang=%s&show=upstream", "layers?lang=%s", "map?lang=%s"}

// A place names a recording on a page: its release and scenario there,
// and the key of its sources.
type place struct{ release, scenario, sources string }

// recording puts a recording, and the calls of each of its requests, into pieces.
// It also adds the functions of the calls to the sourceBook.
func (s *packer) recording(at place, l *loaded, put func(piece) error) (err error) {
	release := cmp.Or(l.release, recordings.Latest) // the release of a file may be unknown
	base := "/releases/" + url.PathEscape(release) + "/scenarios/" + url.PathEscape(l.scenario)
	s.book.want(at.sources, l.rec)
	kept := answers{}
	for _, lang := range pageLanguages {
		below := []string{"?lang=" + lang, "/story?lang=" + lang}
		for i := range l.rec.Requests {
			for _, address := range unchangedAddresses {
				below = append(below, fmt.Sprintf("/requests/%d/"+address, i+1, lang))
			}
		}
		for _, address := range below {
			if kept[address], err = s.ask(base + address); err != nil {
				return err
			}
		}
	}
	key := at.release + "/" + at.scenario
	if err := put(piece{"recording/" + key, recordingPiece{kept, at.sources}}); err != nil {
		return err
	}
	if l.scenario == bootScenario {
		if err := s.built(release, put); err != nil {
			return err
		}
	}
	for i := range l.rec.Requests {
		calls, err := l.callTable(i + 1)
		if err != nil {
			return err
		}
		if err := put(piece{fmt.Sprintf("calls/%s/%d", key, i+1), calls}); err != nil {
			return err
		}
	}
	return nil
}

// built puts the routes of a release into a piece: the parts that a server of the
// release builds at its start. If no start is recorded, it does nothing.
func (s *packer) built(release string, put func(piece) error) error {
	address := "/releases/" + url.PathEscape(release) + "/routes"
	answer, err := s.ask(address)
	if unknown := new(refusal); errors.As(err, &unknown) && unknown.status == http.StatusNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return put(piece{"answers/releases/" + release + "/routes", recordingPiece{Answers: answers{address: answer}}})
}

// ask returns the API's answer to a path below Base, with its query.
func (s *packer) ask(address string) (json.RawMessage, error) {
	request, err := http.NewRequest(http.MethodGet, Base+address, nil)
	if err != nil {
		return nil, err
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	s.handler.ServeHTTP(w, request)
	if w.status != http.StatusOK {
		var said Error
		if err := json.Unmarshal(w.body.Bytes(), &said); err != nil {
			return nil, errors.Join(message.Errorf("%s: status %d", address, w.status), err)
		}
		return nil, newError(w.status, errors.New(said.Message), message.Of("%s", said.Action))
	}
	return bytes.TrimSpace(w.body.Bytes()), nil
}

// An answer collects the response of a handler. It implements http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(data []byte) (int, error) { return a.body.Write(data) }
