package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// liveRelease is used in place of a release in the addresses of live
// recordings. The recording's id is used in place of the scenario.
const liveRelease = "live"

const (
	// mostLive is the maximum number of live
	// recordings. A new recording replaces an old one.
	mostLive = 200
	// mostLiveBytes is the maximum size of the
	// compressed live recordings in memory.
	mostLiveBytes = 256 << 20
)

// A recordingStore keeps the live recordings in memory, compressed. A long
// recording shrinks to a twentieth of its size.
type recordingStore struct {
	mu    sync.Mutex
	last  int
	bytes int
	items []storedRecording
}

// A storedRecording is a live recording with its entry in lists.
type storedRecording struct {
	head liveTrace
	data []byte // a trace.Recording as compressed JSON; nil if there is no trace
}

// add keeps a recording under a new id. It returns head with the id. rec may be
// nil if head has a failure.
func (s *recordingStore) add(head liveTrace, rec *trace.Recording) (liveTrace, error) {
	var data bytes.Buffer
	if rec != nil {
		out, _ := gzip.NewWriterLevel(&data, gzip.BestSpeed) // BestSpeed is a valid level
		if err := json.NewEncoder(out).Encode(rec); err != nil {
			return head, message.Errorf("keeping a live recording: %w", err)
		}
		if err := out.Close(); err != nil {
			return head, message.Errorf("keeping a live recording: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	head.ID = strconv.Itoa(s.last)
	s.items = append(s.items, storedRecording{head, data.Bytes()})
	s.bytes += data.Len()
	for len(s.items) > 1 && (len(s.items) > mostLive || s.bytes > mostLiveBytes) {
		s.drop()
	}
	return head, nil
}

// drop removes the oldest recording of a client's request, because the user did
// not ask for it. If there is no such recording, it removes the oldest one. It
// never removes the newest one.
func (s *recordingStore) drop() {
	at := slices.IndexFunc(s.items[:len(s.items)-1], func(item storedRecording) bool { return item.head.Kind == kindClient })
	at = max(at, 0)
	s.bytes -= len(s.items[at].data)
	s.items = slices.Delete(s.items, at, at+1)
}

// list returns the entries of the recordings, the newest first.
func (s *recordingStore) list() []liveTrace {
	s.mu.Lock()
	defer s.mu.Unlock()
	heads := make([]liveTrace, 0, len(s.items))
	for _, item := range slices.Backward(s.items) {
		heads = append(heads, item.head)
	}
	return heads
}

// load returns the recording with an id. If there is none,
// the error has status 404.
func (s *recordingStore) load(id string) (*trace.Recording, error) {
	action := message.Of("GET %s lists the live recordings", Base+"/live")
	s.mu.Lock()
	at := slices.IndexFunc(s.items, func(item storedRecording) bool { return item.head.ID == id })
	var item storedRecording
	if at >= 0 {
		item = s.items[at]
	}
	s.mu.Unlock()
	switch {
	case at < 0:
		return nil, notFound(message.Errorf("there is no live recording %q: the last %d are kept", id, mostLive), action)
	case item.data == nil:
		return nil, notFound(message.Errorf("live request %s has no trace: %s", id, item.head.failure), action)
	}
	in, err := gzip.NewReader(bytes.NewReader(item.data))
	if err != nil {
		return nil, message.Errorf("reading a live recording: %w", err)
	}
	rec := new(trace.Recording)
	if err := json.NewDecoder(in).Decode(rec); err != nil {
		return nil, message.Errorf("reading a live recording: %w", err)
	}
	return rec, nil
}

// titleOf returns the title of a recording: its first
// request, or its scenario if it has no request.
func titleOf(rec *trace.Recording) string {
	if len(rec.Requests) == 0 {
		return rec.Scenario
	}
	return fmt.Sprintf("%s %s", rec.Requests[0].Method, rec.Requests[0].Path)
}
