package story

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
)

// An event is the part of an audit event (audit.k8s.io/v1) that the rules read.
type event struct {
	AuditID, Stage, RequestURI, Verb string
	User                             struct {
		Username string
		Groups   []string
	}
	ImpersonatedUser *struct {
		Username string
		Groups   []string
	}
	ObjectRef *struct {
		Resource, Namespace, Name, APIGroup, APIVersion, Subresource string
	}
	ResponseStatus struct {
		Code                    int
		Status, Message, Reason string
	}
	RequestObject, ResponseObject json.RawMessage
	Annotations                   map[string]string
}

// An auditLog reads the server's audit log as it grows.
type auditLog struct {
	path string
	// read is the number of bytes of the file that have been read.
	read   int64
	events []event
}

func newAuditLog(path string) *auditLog { return &auditLog{path: path} }

// advance reads the events that were written since the last call.
func (l *auditLog) advance(t *testing.T) {
	t.Helper()
	file, err := os.Open(l.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Seek(l.read, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil { // the rest of the line is not written yet
			return
		}
		l.read += int64(len(line))
		var e event
		if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
			t.Fatalf("reading the audit log: %v: %s", err, line)
		}
		l.events = append(l.events, e)
	}
}

// of waits for the last event of a request, and returns it. It returns nil if lost
// reports that the server has lost the event. lasting is set for a request with an answer
// that goes on, such as a watch. Such a request also has an event at the beginning of its
// answer. This event is not the last one, unless the request has failed.
func (l *auditLog) of(t *testing.T, id, path string, lasting bool, lost func() bool) *event {
	t.Helper()
	var found *event
	testenv.Await(t, "the audit event of "+path+" is written", func() bool {
		l.advance(t)
		for i := range l.events {
			e := &l.events[i]
			if e.AuditID == id && (e.Stage == "ResponseComplete" || e.Stage == "Panic" || !lasting || e.ResponseStatus.Code >= 400) {
				found = e
			}
		}
		return found != nil || lost()
	})
	return found
}

// mark returns the number of events so far.
func (l *auditLog) mark() int { return len(l.events) }
