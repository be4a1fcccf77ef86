package apiserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// learnerUser is the name of the ordinary user. What it may do is decided by the
// RBAC objects that somebody makes for it; at first it may do next to nothing.
const learnerUser = "learner"

// AdminUser is the name of the user of the group system:masters.
const AdminUser = "admin"

// A Server is a running kube-apiserver with its etcd.
type Server struct {
	// BaseURL is "https://127.0.0.1:12345".
	BaseURL string `json:"baseURL"`
	// CAPEM is the certificate with which clients verify the server.
	CAPEM []byte `json:"caPEM"`
	// AdminToken is the bearer token of AdminUser, LearnerToken that of learnerUser.
	AdminToken   string `json:"adminToken"`
	LearnerToken string `json:"learnerToken"`
	// PlayerTokens are the learner's, too, for those who play scenarios alone: the server's memory of
	// a token must not depend on what others do.
	PlayerTokens []string `json:"playerTokens"`
	// AdminKubeconfig and LearnerKubeconfig are the paths of kubeconfig files, private to this user.
	AdminKubeconfig   string `json:"adminKubeconfig"`
	LearnerKubeconfig string `json:"learnerKubeconfig"`
	// SampleKubeconfig is that of the user as whom a sample server asks, and ProxyCAFile
	// the certificate with which it verifies the aggregator: see StartSample.
	SampleKubeconfig string `json:"sampleKubeconfig"`
	ProxyCAFile      string `json:"proxyCAFile"`
	// ProbeSockets gives, by the name of the traced program ("kube-apiserver",
	// "etcd"), the unix socket of its probe. Plain builds have no probes; their sockets do not exist.
	ProbeSockets map[string]string `json:"probeSockets"`
	// Etcd is how to reach the storage.
	Etcd storage.Endpoint `json:"etcd"`
	// ExternalEtcd tells that somebody else runs it: it is not traced, and goes on when we stop.
	ExternalEtcd bool `json:"externalEtcd,omitempty"`
	// K8sVersion and EtcdVersion have their "v".
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion"`
	// Aggregated describes the user's own API server behind the aggregator; nil if there is none.
	Aggregated *AggregatedState `json:"aggregated,omitempty"`
	// BuildKey is that of the Build.
	BuildKey string `json:"buildKey"`
	// Edited is that of the Build: the files that are not upstream's.
	Edited []string `json:"edited,omitempty"`
	// Check is set if the probes run in their checking mode.
	Check bool `json:"check"`
	// RunDir is the folder in which the servers run.
	RunDir string `json:"runDir"`
	// Owner is the id of the process that has started them, and stops them when it ends.
	Owner int `json:"owner"`

	sampleToken string
	// ownName and ownToken are the user as whom the user's own API server asks.
	ownName, ownToken string
	// own is nil in a Server that another process owns.
	own *owned
}

// An AggregatedState describes an API server behind the aggregator that runs as long as the Server.
type AggregatedState struct {
	// Name is the name of the program in traces, Version is "MODULE VERSION".
	Name    string `json:"name"`
	Version string `json:"version"`
	// Main is that of serverconfig.Own.
	Main string `json:"main,omitempty"`
	// GroupVersions and Unready are those of Aggregated.
	GroupVersions []string `json:"groupVersions"`
	Unready       string   `json:"unready,omitempty"`
	// OpenAPILate is that of Aggregated; a later process does not learn it.
	OpenAPILate bool `json:"-"`
}

// owned has the processes and locks of the servers, in the process that started them.
type owned struct {
	runDir *program.RunDir
	etcd   store
	child  *program.Child
	// aggregated is the user's own API server, or nil.
	aggregated *Aggregated
	stateFile  string
	boot       string // traceparent
	// ended is closed when one of the two servers has ended.
	ended chan struct{}
}

// A store is the etcd behind the server: *storage.Etcd or *storage.External.
type store interface {
	Done() <-chan struct{}
	Err() error
	Stop(context.Context) error
}

// StartOptions set how to run a Build.
type StartOptions struct {
	// Check switches the checking mode of the probes on.
	Check bool
	// Extra are additional settings of this server.
	Extra serverconfig.Extra
	// Etcd is an etcd that another program runs. If nil, the server gets one of its own.
	Etcd *storage.Endpoint
	// Boot is a sampled W3C traceparent: the start of kube-apiserver becomes that trace, which
	// lasts until it is collected. If empty, the start is not traced.
	Boot string
	// Aggregated is the user's own API server behind the aggregator; nil for none.
	Aggregated *AggregatedOptions
	// Cache is the cache in which the state is published; nil means the default one.
	Cache *program.Cache
}

// Start starts etcd and kube-apiserver on loopback and waits until a client can
// work: ready by its own account, RBAC's default roles made, the namespace
// "default" there. The servers end with this process, however it ends. The caller
// calls Stop.
func Start(ctx context.Context, b *Build, o StartOptions) (*Server, error) {
	if o.Cache == nil {
		var err error
		if o.Cache, err = program.OpenCache(""); err != nil {
			return nil, err
		}
	}
	runDir, err := program.NewRunDir()
	if err != nil {
		return nil, err
	}
	s := &Server{
		K8sVersion: b.K8sVersion, EtcdVersion: b.EtcdVersion, BuildKey: b.key(), Edited: b.Edited, Check: o.Check, RunDir: runDir.Path, Owner: os.Getpid(),
		own: &owned{runDir: runDir, stateFile: stateFile(o.Cache, b, o.Variant(), runDir), boot: o.Boot, ended: make(chan struct{})},
	}
	if err := s.start(ctx, b, o); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	go s.own.watch()
	return s, nil
}

func (s *Server) start(ctx context.Context, b *Build, o StartOptions) error {
	if err := s.startEtcd(ctx, b, o.Etcd); err != nil {
		return err
	}
	ctx, cancel := cancelWhenDone(ctx, s.own.etcd)
	defer cancel()
	dir, err := s.own.runDir.Part(Name)
	if err != nil {
		return err
	}
	if o.Aggregated != nil {
		s.ownName = o.Aggregated.Own.Name
	}
	files, err := s.writeFiles(dir)
	if err != nil {
		return err
	}
	s.own.child, err = program.WithFreePort(func(port int) (*program.Child, error) {
		server, err := s.program(b.APIServer.Path, dir, files, port, o.Extra)
		if err != nil {
			return nil, err
		}
		s.ProbeSockets[Name] = server.Socket()
		return program.Start(ctx, server)
	})
	if err != nil {
		return err
	}
	if !s.ExternalEtcd { // else they may be a cluster's, whose controllers need them
		if err := s.removeDefaultBindings(ctx); err != nil {
			return err
		}
	}
	if err := s.writeKubeconfigs(dir); err != nil || o.Aggregated == nil {
		return err
	}
	return s.startOwn(ctx, *o.Aggregated)
}

// startOwn starts the user's own API server behind the aggregator.
func (s *Server) startOwn(ctx context.Context, o AggregatedOptions) (err error) {
	if s.own.aggregated, err = s.StartAggregated(ctx, o); err != nil {
		return err
	}
	a := s.own.aggregated
	s.ProbeSockets[a.Name] = a.ProbeSocket
	s.Edited = slices.Concat(s.Edited, o.Binary.Edited)
	s.Aggregated = &AggregatedState{Name: a.Name, Version: o.Own.Version, Main: o.Own.Config.Main, GroupVersions: a.GroupVersions, Unready: a.Unready, OpenAPILate: a.OpenAPILate}
	return nil
}

// startEtcd starts etcd, or connects to the given one.
func (s *Server) startEtcd(ctx context.Context, b *Build, given *storage.Endpoint) error {
	s.ProbeSockets = map[string]string{}
	if given != nil {
		etcd, err := storage.Use(ctx, *given)
		if err != nil {
			return err
		}
		s.own.etcd, s.Etcd, s.ExternalEtcd, s.EtcdVersion = etcd, *given, true, etcd.Version
		return nil
	}
	etcd, err := storage.Start(ctx, storage.Options{Binary: b.Etcd.Path, RunDir: s.own.runDir, Check: s.Check})
	if err != nil {
		return err
	}
	s.own.etcd, s.Etcd, s.ProbeSockets[storage.Name] = etcd, etcd.Endpoint, etcd.ProbeSocket
	return nil
}

// cancelWhenDone gives a context that ends with etcd: kube-apiserver would wait for it in vain.
func cancelWhenDone(ctx context.Context, etcd store) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-etcd.Done():
			cancel(etcd.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// watch closes ended when one of the servers ends.
func (o *owned) watch() {
	var aggregated <-chan struct{}
	if o.aggregated != nil {
		aggregated = o.aggregated.child.Done()
	}
	select {
	case <-o.etcd.Done():
	case <-o.child.Done():
	case <-aggregated:
	}
	close(o.ended)
}

// Done returns a channel that is closed when one of the servers has ended, for any reason. It
// is nil for a server that another process owns.
func (s *Server) Done() <-chan struct{} {
	if s.own == nil {
		return nil
	}
	return s.own.ended
}

// Err returns which server ended and how, with its last log lines, after Done is closed.
func (s *Server) Err() error {
	if s.own == nil {
		return nil
	}
	// etcd first: without it, kube-apiserver's end is a consequence.
	if s.own.etcd != nil && s.own.etcd.Err() != nil {
		return s.own.etcd.Err()
	}
	if s.own.child != nil && s.own.child.Err() != nil {
		return s.own.child.Err()
	}
	if s.own.aggregated != nil {
		return s.own.aggregated.child.Err()
	}
	return nil
}

// stopGrace limits the time in which kube-apiserver must end by itself. Its store ends
// with it, so there is nothing to save.
const stopGrace = 3 * time.Second

// Terminate asks kube-apiserver to end, and waits for nothing. It may be called only for a server that this process
// has started. Stop is still to be called.
func (s *Server) Terminate() error { return s.own.child.Terminate() }

// TerminateAggregated is Terminate for the user's own API server, which must be there.
func (s *Server) TerminateAggregated() error {
	s.own.aggregated.terminated = true
	return s.own.aggregated.child.Terminate()
}

// ReadAggregated reads an object from the user's own API server, without the aggregator. This process must have started it.
func (s *Server) ReadAggregated(ctx context.Context, path string, into any) error {
	return s.own.aggregated.child.Ask(ctx, path, s.AdminToken, into)
}

// AggregatedAddress is the URL of the user's own API server, and the certificate that verifies it: clients reach it there
// without the aggregator. ok is false if there is none, or if another process has started it.
func (s *Server) AggregatedAddress() (url string, caPEM []byte, ok bool) {
	if s.own == nil || s.own.aggregated == nil {
		return "", nil, false
	}
	child := s.own.aggregated.child
	return fmt.Sprintf("https://127.0.0.1:%d", child.Port), child.CAPEM, true
}

// Stop ends both servers and removes all that they left. It does nothing to a
// server that another process owns.
func (s *Server) Stop(ctx context.Context) error {
	if s.own == nil {
		return nil
	}
	var errs []error
	// First, so that no process attaches to a server that is ending.
	if err := os.Remove(s.own.stateFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	if a := s.own.aggregated; a != nil && s.ExternalEtcd && s.own.child.Err() == nil {
		errs = append(errs, a.Stop(ctx)) // the store outlives the server, and the registration with it
	} else if a != nil {
		a.client.CloseIdleConnections()
		errs = append(errs, a.stop(ctx))
	}
	if s.own.child != nil {
		errs = append(errs, s.own.child.Stop(ctx, stopGrace))
	}
	if s.own.etcd != nil {
		errs = append(errs, s.own.etcd.Stop(ctx))
	}
	return errors.Join(append(errs, s.own.runDir.Close())...)
}
