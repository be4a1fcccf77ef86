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

// A piece is the data that a page without a server has under one key; src/still.ts answers the API's routes from it. The keys are:
//
//	library                        the lists, and the first request to show
//	recording/RELEASE/SCENARIO     a recording without its calls
//	calls/RELEASE/SCENARIO/NUMBER  the calls of a request
//	diff/SCENARIO/FROM/TO/LANG     a comparison of two releases in a language, compare/RELEASE/FROM/TO/LANG one of two scenarios
//	diff/SCENARIO/FROM/TO/calls    the functions whose source is compared, by call; compare/… as well
//	hunks/FROM/TO/PROCESS/FOLDER   the parts that differ in the functions of a package
//	source/PROCESS/FOLDER          the functions of a package that were called, in all releases
//	notices/PROCESS                the licences of the sources
//	search                         the texts that can be searched
//	answers/PATH                   the answer to a path below Base that belongs to no recording
type piece struct {
	key  string
	data any
}

// answers are unchanged answers of the API, by path and query below Base.
type answers map[string]json.RawMessage

// libraryPiece lists the releases, the scenarios and their recordings.
type libraryPiece struct {
	// First is the request that the page shows first.
	First firstShown `json:"first"`
	// Pages are those of the pages that have what they show (views.ts); Start is the address with which the page begins, absent for First.
	Pages []string `json:"pages"`
	Start string   `json:"start,omitempty"`
	// Comparisons says what is compared: "one" pair of recordings, or "neighbours" among the releases of a scenario.
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

// recordingPiece is a recording without its calls. Its answers are keyed by path and query below the recording's own path.
type recordingPiece struct {
	Answers answers `json:"answers"`
	// Sources is the key of its sources.
	Sources string `json:"sources,omitempty"`
}

// A packer gets the data of a page without a server from the API.
type packer struct {
	api     *api
	handler http.Handler
	book    *sourceBook
	// changed are the pairs of functions whose texts are compared, by the keys of the sources.
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

// remember caches the results of find: checking that a folder of the cache is complete takes time.
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

// asTheyAre are the answers of the API that a page without a server has unchanged for each request, with their parameters in order.
var asTheyAre = []string{"view?lang=%s", "view?lang=%s&show=upstream", "layers?lang=%s", "map?lang=%s"}

// A place is where a page finds a recording. Sources is the key of its sources.
type place struct{ release, scenario, sources string }

// recording puts a recording into pieces: itself, and the calls of its requests. The functions of its calls are wanted (sourceBook).
func (s *packer) recording(at place, l *loaded, put func(piece) error) (err error) {
	release := cmp.Or(l.release, recordings.Latest) // that of a file may be unknown
	base := "/releases/" + url.PathEscape(release) + "/scenarios/" + url.PathEscape(l.scenario)
	s.book.want(at.sources, l.rec)
	kept := answers{}
	for _, lang := range pageLanguages {
		below := []string{"?lang=" + lang}
		for i := range l.rec.Requests {
			for _, address := range asTheyAre {
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

// built writes the piece with the parts that a server of the release builds at its start, if the library has a recording of it.
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

// ask returns the answer of the API to a path and query below Base.
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

// An answer collects what a handler writes. It implements http.ResponseWriter.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(data []byte) (int, error) { return a.body.Write(data) }
