package web

import (
	"path/filepath"
	"slices"
	"sync"

	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/trace/search"
	"github.com/kubeapitrace/apitrace/view"
)

// A File is a recording that the user has named by its path.
type File struct {
	// Name takes the place of a scenario's name.
	Name      string
	Recording *trace.Recording
}

// newFile returns a recording that was loaded from a path, with the path's last
// element as its name. It is an error if this is the name of a scenario.
func newFile(path string, rec *trace.Recording) (File, error) {
	name := filepath.Base(path)
	if _, err := scenarios.Known(name); err == nil {
		return File{}, message.Errorf("the file %q has the name of a scenario: rename the file", path)
	}
	return File{Name: name, Recording: rec}, nil
}

// A SourceFolder returns the folder with the sources of a program in a
// release of Kubernetes. The file paths of calls are relative to this folder.
type SourceFolder func(process, k8sVersion string) (string, error)

// cachedSource is a SourceFolder that only uses the cache. It downloads nothing.
func cachedSource(process, k8sVersion string) (string, error) {
	return controlplane.CachedSourceOf(process, k8sVersion, nil)
}

// mostLoaded is the number of recordings that a library keeps
// in memory. The recording of a server's start takes 100 MB.
const mostLoaded = 6

// A library loads recordings and keeps the most recently used ones.
type library struct {
	files  []File
	source SourceFolder
	store  *recordingStore
	// answers keeps histories for later processes. It may be nil.
	answers *program.Answers

	texts   sync.Once
	ofFiles []search.Hit // texts of files for the search; set by texts

	mu        sync.Mutex
	loaded    []*loaded   // the most recently used recording is the last
	compared  []*compared // the most recently used comparison is the last
	histories histories
}

// loaded has a recording and the data derived from it.
type loaded struct {
	release, scenario string
	rec               *trace.Recording

	mu        sync.Mutex
	trees     map[int]*trace.Tree
	documents map[documentKey]*view.Trace
	guides    map[string]view.Guide
	built     built
}

type documentKey struct {
	request    int
	lang, view string
}

// load returns the recording of a scenario, a file or a live request. It keeps
// the recording in memory.
func (l *library) load(release, scenario string) (*loaded, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	release, rec, err := l.resolve(release, scenario)
	if err != nil {
		return nil, err
	}
	for i, known := range l.loaded {
		if known.release == release && known.scenario == scenario {
			l.loaded = append(slices.Delete(l.loaded, i, i+1), known)
			return known, nil
		}
	}
	if rec == nil && release == liveRelease {
		if rec, err = l.store.load(scenario); err != nil {
			return nil, err
		}
	}
	if rec == nil {
		if rec, err = session.Recorded(release, scenario); err != nil {
			return nil, err
		}
	}
	known := &loaded{
		release: release, scenario: scenario, rec: rec, trees: map[int]*trace.Tree{},
		documents: map[documentKey]*view.Trace{}, guides: map[string]view.Guide{},
	}
	l.loaded = append(l.loaded, known)
	if len(l.loaded) > mostLoaded {
		l.loaded = slices.Delete(l.loaded, 0, 1)
	}
	return known, nil
}

// resolve returns the full name of a release. If scenario names one of the files,
// it also returns the recording.
func (l *library) resolve(release, scenario string) (string, *trace.Recording, error) {
	if release == liveRelease {
		return release, nil, nil
	}
	other := ""
	for _, f := range l.files {
		switch is := f.Recording.K8sVersion; {
		case f.Name != scenario:
		case is == release || release == recordings.Latest:
			return is, f.Recording, nil
		default:
			other = is
		}
	}
	if other != "" {
		return "", nil, notFound(message.Errorf("the recording %q is of release %q, not of %q", scenario, other, release), message.Of("use the release of the recording"))
	}
	version, err := recordings.Resolve(release)
	if err != nil {
		return "", nil, notFound(err, message.Of("GET %s lists the releases", Base+"/releases"))
	}
	return version, nil, nil
}

// request returns the tree of request n, counted from 1.
func (l *loaded) request(n int) (*trace.Tree, error) {
	if n < 1 || n > len(l.rec.Requests) {
		return nil, notFound(message.Errorf("there is no request %d: the recording has %d", n, len(l.rec.Requests)), message.Of("the numbers begin at 1"))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.trees[n] == nil {
		tree, err := trace.NewTree(&l.rec.Requests[n-1])
		if err != nil {
			return nil, err
		}
		l.trees[n] = tree
	}
	return l.trees[n], nil
}

// guide returns the guide for the recording.
func (l *loaded) guide(lang string) (view.Guide, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.guideLocked(lang)
}

func (l *loaded) guideLocked(lang string) (view.Guide, error) {
	if l.guides[lang] == nil {
		guide, err := instrument.Load()
		if err != nil {
			return nil, err
		}
		l.guides[lang] = guide.ForReader(lang, l.rec)
	}
	return l.guides[lang], nil
}

// document returns the view of request n, counted from 1. how is
// viewPath or viewUpstream.
func (l *loaded) document(n int, lang, how string) (*view.Trace, error) {
	if _, err := l.request(n); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := documentKey{n, lang, how}
	if l.documents[key] == nil {
		guide, err := l.guideLocked(lang)
		if err != nil {
			return nil, err
		}
		doc, err := view.NewTrace(l.rec, n-1, guide, view.Options{Lang: lang, Notes: true, Choice: view.Choice{Upstream: how == viewUpstream, Most: view.StepsPerRequest(1)}})
		if err != nil {
			return nil, err
		}
		l.documents[key] = doc
	}
	return l.documents[key], nil
}

// sourceFolder returns the folder with the sources of a process.
// If they are not on this machine, the error says how to get them.
func (l *library) sourceFolder(process, k8sVersion string) (string, error) {
	if k8sVersion == "" {
		return "", notFound(message.NewError("the recording does not name its release, so its source is unknown"), message.Message{})
	}
	folder, err := l.source(process, k8sVersion)
	if err != nil {
		return "", notFound(message.Errorf("the source of %s, Kubernetes %s, is not on this machine: %w", process, k8sVersion, err),
			message.Of("\"apitrace source createHandler --k8s %s\" fetches it", k8sVersion))
	}
	return folder, nil
}
