package apiserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// ErrNotServed reports that there is no server to attach to.
var ErrNotServed = message.NewError("no such server is running")

// ServedDir returns the folder of the published states. It has one file for each server
// that is kept running. It is below the cache's root, which is private to this user and
// the same in all of the user's terminals.
func ServedDir(c *program.Cache) string { return filepath.Join(c.Root, "served") }

// stateFormat is the extension of a published state.
// Change its number with the meaning of Server's fields: each build of apitrace must only
// find states that it can read.
const stateFormat = ".7.json"

func stateFile(c *program.Cache, b *Build, variant string, runDir *program.RunDir) string {
	return filepath.Join(ServedDir(c), b.K8sVersion+"_"+b.key()+variant+"_"+filepath.Base(runDir.Path)+stateFormat)
}

// A variantOwn distinguishes API servers of the user's own in Variant.
type variantOwn struct {
	Key   string
	Flags []string `json:",omitempty"` // nil and an empty list must give the same JSON
}

// Variant distinguishes servers of one build by their extras, stores, aggregated API
// servers and further traced packages, and by whether they are part of a cluster. It returns "" for a server without any of these.
// Attach finds a server by its build key and variant.
func (o StartOptions) Variant() string {
	if o.Extra.IsZero() && o.Etcd == nil && o.Aggregated == nil && o.Cluster == nil && len(o.Trace) == 0 {
		return ""
	}
	var own *variantOwn
	if o.Aggregated != nil {
		own = &variantOwn{o.Aggregated.Own.Key, o.Aggregated.Own.Config.Flags}
	}
	text, err := json.Marshal(struct {
		Extra serverconfig.Extra
		Etcd  *storage.Endpoint
		Own   *variantOwn `json:",omitempty"`
		Trace []string    `json:",omitempty"`
		// Cluster is the same for all clusters: they have the same users.
		Cluster bool `json:",omitempty"`
	}{o.Extra, o.Etcd, own, unionOf(o.Trace), o.Cluster != nil})
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	return fmt.Sprintf("-%x", sha256.Sum256(text))[:1+16]
}

// AnyVariant at the end of a build key lets Attach find a server of any variant.
const AnyVariant = "*"

// Publish lets other processes of this user attach to the server, until Stop.
func (s *Server) Publish() error {
	if s.processes == nil {
		return message.NewError("publishing a server: it belongs to another process")
	}
	data, err := json.Marshal(s)
	if err != nil {
		return message.Errorf("publishing the server: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(s.processes.stateFile), 0o700); err != nil {
		return message.Errorf("publishing the server: %w", err)
	}
	if err := os.WriteFile(s.processes.stateFile, data, 0o600); err != nil {
		return message.Errorf("publishing the server: %w", err)
	}
	return nil
}

// Attach finds a server with this version and build key. Another process must have
// published the server, and the server must answer.
// Attach removes the states of servers that have ended.
// It returns ErrNotServed if no server is left, and a [SilentError] if no server that
// is left answers. Stopping an attached server does nothing.
func Attach(ctx context.Context, c *program.Cache, version, buildKey string) (*Server, error) {
	servers, err := published(c, version, buildKey)
	if err != nil {
		return nil, err
	}
	none := ErrNotServed
	for _, s := range servers {
		err := s.Answers(ctx)
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !errors.Is(err, ErrNotServed) {
			none = err
		}
	}
	return nil, none
}

// Served lists the servers of any version that processes of this user keep running.
// It includes servers that do not answer.
func Served(c *program.Cache) ([]*Server, error) { return published(c, "*", AnyVariant) }

// published reads the states of servers with a live owner, and removes other states.
func published(c *program.Cache, version, buildKey string) ([]*Server, error) {
	files, err := filepath.Glob(filepath.Join(ServedDir(c), version+"_"+buildKey+"_*"+stateFormat))
	if err != nil {
		return nil, message.Errorf("looking for a running server: %w", err)
	}
	var servers []*Server
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the server has just ended
		}
		s := new(Server)
		if json.Unmarshal(data, s) != nil || !program.RunDirAlive(s.RunDir) {
			_ = os.Remove(file) // after an error, the next command tries again
			continue
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// A SilentError reports that a server does not answer, although its owner is alive.
type SilentError struct {
	Server *Server
	// Err is the error of the request.
	Err error
}

func (e *SilentError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *SilentError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *SilentError) message() message.Message {
	return message.Of("the server of %s at %s, which process %d keeps running, does not answer: %v", e.Server.K8sVersion, e.Server.BaseURL, e.Server.Owner, e.Err)
}

// Unwrap returns the error of the request.
func (e *SilentError) Unwrap() error { return e.Err }

// answerTimeout limits how long a server may take to report that it is ready.
// A busy machine takes seconds.
const answerTimeout = 10 * time.Second

// Answers returns nil when the server reports that it is ready.
// Otherwise it returns a SilentError, or ErrNotServed if the server ends meanwhile.
func (s *Server) Answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	for {
		err := s.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return &SilentError{s, err}
		case <-time.After(100 * time.Millisecond):
		}
		if !program.RunDirAlive(s.RunDir) {
			return ErrNotServed
		}
	}
}
