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

// learnerUser is the name of the ordinary user, which has only the rights that RBAC objects
// give it. At first, it has almost none.
const learnerUser = "learner"

// AdminUser is the name of the user in the group system:masters.
const AdminUser = "admin"

// A Server is a running kube-apiserver with its etcd.
type Server struct {
	// BaseURL is the server's URL, such as "https://127.0.0.1:12345".
	BaseURL string `json:"baseURL"`
	// CAPEM is the certificate that clients verify the server with.
	CAPEM []byte `json:"caPEM"`
	// AdminToken is the bearer token of AdminUser.
	// LearnerToken is the bearer token of learnerUser.
	AdminToken   string `json:"adminToken"`
	LearnerToken string `json:"learnerToken"`
	// PlayerTokens are further tokens of the learner. Only a scenarios.Player uses them, so
	// the server's token cache has the same state for it, whatever other clients do.
	PlayerTokens []string `json:"playerTokens"`
	// AdminKubeconfig and LearnerKubeconfig are paths of kubeconfig files, private to this
	// user.
	AdminKubeconfig   string `json:"adminKubeconfig"`
	LearnerKubeconfig string `json:"learnerKubeconfig"`
	// SampleKubeconfig is the path of the kubeconfig for the sample server's own requests
	// to kube-apiserver.
	// ProxyCAFile is the path of an authority's certificate. Aggregated servers verify the
	// aggregator with it; see StartAggregated.
	SampleKubeconfig string `json:"sampleKubeconfig"`
	ProxyCAFile      string `json:"proxyCAFile"`
	// ProbeSockets maps the name of a traced program ("kube-apiserver", "etcd") to the
	// unix socket of its probe.
	// The sockets of plain builds do not exist.
	ProbeSockets map[string]string `json:"probeSockets"`
	// Etcd says how to reach the storage.
	Etcd storage.Endpoint `json:"etcd"`
	// ExternalEtcd is set if another program runs etcd.
	// Such an etcd is not traced, and runs on after Stop.
	ExternalEtcd bool `json:"externalEtcd,omitempty"`
	// K8sVersion and EtcdVersion begin with "v". EtcdVersion is "" if an external etcd did
	// not report it.
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion"`
	// Aggregated describes the user's own API server behind the aggregator, or is nil.
	Aggregated *AggregatedState `json:"aggregated,omitempty"`
	// BuildKey is the key of the Build without BuildOptions.Trace and Debuggable.
	BuildKey string `json:"buildKey"`
	// Edited has the files that differ from upstream's: Build.Edited, and the edited files of
	// the user's own API server.
	Edited []string `json:"edited,omitempty"`
	// More has the packages that are traced in addition to the packages that apitrace
	// always traces; see BuildOptions.Trace.
	More []string `json:"more,omitempty"`
	// Check is set if the probes run in their checking mode.
	Check bool `json:"check"`
	// RunDir is the folder that the servers run in.
	RunDir string `json:"runDir"`
	// Owner is the id of the process that started the servers. They stop when it ends.
	Owner int `json:"owner"`

	// Cluster is set if programs beside kube-apiserver make a cluster of it.
	Cluster bool `json:"cluster,omitempty"`
	// ClusterSockets maps the names of these programs to the unix sockets of their probes.
	ClusterSockets map[string]string `json:"clusterSockets,omitempty"`

	cluster     *clusterFiles
	sampleToken string
	// ownName and ownToken are the user and the token of requests by the user's own API
	// server.
	ownName, ownToken string
	// processes is nil in a Server that another process owns.
	processes *ownedProcesses
}

// An AggregatedState describes the user's own API server behind the aggregator, which runs
// as long as the Server.
type AggregatedState struct {
	// Name is the name of the program in traces.
	// Version has the form "MODULE VERSION".
	Name    string `json:"name"`
	Version string `json:"version"`
	// Main has the meaning of serverconfig.Own.Main.
	Main string `json:"main,omitempty"`
	// GroupVersions and Unready have the meaning of the fields in Aggregated.
	GroupVersions []string `json:"groupVersions"`
	Unready       string   `json:"unready,omitempty"`
	// OpenAPILate has the meaning of the field in Aggregated.
	// It is not set in a process that attached to the server.
	OpenAPILate bool `json:"-"`
}

// ownedProcesses has the processes and files of the servers that this process started.
type ownedProcesses struct {
	runDir *program.RunDir
	etcd   store
	child  *program.Child
	// aggregated is the user's own API server, or nil.
	aggregated *Aggregated
	stateFile  string
	boot       string // traceparent
	// ended is closed when one of the servers has ended.
	ended chan struct{}
}

// A store is the etcd behind the server: *storage.Etcd or *storage.External.
type store interface {
	Done() <-chan struct{}
	Err() error
	Stop(context.Context) error
}

// StartOptions say how to run a Build.
type StartOptions struct {
	// Check switches the checking mode of the probes on.
	Check bool
	// Extra are additional settings of this server.
	Extra serverconfig.Extra
	// Etcd is an etcd that another program runs.
	// If it is nil, the server gets an etcd of its own.
	Etcd *storage.Endpoint
	// Boot is a sampled W3C traceparent: the start of kube-apiserver is recorded as this
	// trace, until the trace is collected. If Boot is empty, the start is not traced.
	Boot string
	// Aggregated is the user's own API server behind the aggregator, or nil.
	Aggregated *AggregatedOptions
	// Cluster prepares the server for the programs of a cluster, or is nil. It must not
	// be combined with Etcd.
	Cluster *Cluster
	// Trace is BuildOptions.Trace of the Build.
	Trace []string
	// Cache is the cache to publish the state in; nil means the default cache.
	Cache *program.Cache
}

// Start starts etcd and kube-apiserver on loopback, and the server of o.Aggregated. It
// returns when a client can work: kube-apiserver is ready, and RBAC's default roles and
// the namespace "default" exist.
// The servers end with this process, however it ends. The caller must call Stop.
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
		K8sVersion: b.K8sVersion, EtcdVersion: b.EtcdVersion, BuildKey: b.key(), Edited: b.Edited, More: b.More, Check: o.Check, RunDir: runDir.Path, Owner: os.Getpid(),
		processes: &ownedProcesses{runDir: runDir, stateFile: stateFile(o.Cache, b, o.Variant(), runDir), boot: o.Boot, ended: make(chan struct{})},
	}
	if err := s.start(ctx, b, o); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	go s.processes.watch()
	return s, nil
}

func (s *Server) start(ctx context.Context, b *Build, o StartOptions) error {
	if err := s.startEtcd(ctx, b, o.Etcd); err != nil {
		return err
	}
	ctx, cancel := cancelWhenDone(ctx, s.processes.etcd)
	defer cancel()
	dir, err := s.processes.runDir.Part(Name)
	if err != nil {
		return err
	}
	if o.Aggregated != nil {
		s.ownName = o.Aggregated.Own.Name
	}
	if o.Cluster != nil {
		s.Cluster, s.cluster = true, newClusterFiles(dir, *o.Cluster)
	}
	files, err := s.writeFiles(dir)
	if err != nil {
		return err
	}
	s.processes.child, err = program.WithFreePort(func(port int) (*program.Child, error) {
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
	if !s.ExternalEtcd && !s.Cluster { // the controllers of a cluster need the bindings
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
	if s.processes.aggregated, err = s.StartAggregated(ctx, o); err != nil {
		return err
	}
	a := s.processes.aggregated
	s.ProbeSockets[a.Name] = a.ProbeSocket
	s.Edited, s.More = slices.Concat(s.Edited, o.Binary.Edited), unionOf(s.More, o.Binary.More)
	s.Aggregated = &AggregatedState{Name: a.Name, Version: o.Own.Version, Main: o.Own.Config.Main, GroupVersions: a.GroupVersions, Unready: a.Unready, OpenAPILate: a.OpenAPILate}
	return nil
}

// startEtcd starts etcd, or connects to the given etcd.
func (s *Server) startEtcd(ctx context.Context, b *Build, given *storage.Endpoint) error {
	s.ProbeSockets = map[string]string{}
	if given != nil {
		etcd, err := storage.UseExternal(ctx, *given)
		if err != nil {
			return err
		}
		s.processes.etcd, s.Etcd, s.ExternalEtcd, s.EtcdVersion = etcd, *given, true, etcd.Version
		return nil
	}
	etcd, err := storage.Start(ctx, storage.Options{Binary: b.Etcd.Path, RunDir: s.processes.runDir, Check: s.Check})
	if err != nil {
		return err
	}
	s.processes.etcd, s.Etcd, s.ProbeSockets[storage.Name] = etcd, etcd.Endpoint, etcd.ProbeSocket
	return nil
}

// cancelWhenDone returns a context that is canceled when etcd ends. Without it, Start
// would wait for a kube-apiserver that waits for etcd forever.
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
func (o *ownedProcesses) watch() {
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

// Done returns a channel that is closed once one of the servers ends, for any reason.
// It returns nil for a server that another process owns.
func (s *Server) Done() <-chan struct{} {
	if s.processes == nil {
		return nil
	}
	return s.processes.ended
}

// Err returns which server ended and how, with its last log lines.
// It is valid after Done is closed.
func (s *Server) Err() error {
	if s.processes == nil {
		return nil
	}
	// etcd first: if it ends, kube-apiserver ends as a consequence.
	if s.processes.etcd != nil && s.processes.etcd.Err() != nil {
		return s.processes.etcd.Err()
	}
	if s.processes.child != nil && s.processes.child.Err() != nil {
		return s.processes.child.Err()
	}
	if s.processes.aggregated != nil {
		return s.processes.aggregated.child.Err()
	}
	return nil
}

// stopGrace limits how long kube-apiserver may take to end by itself. It has nothing to
// save.
const stopGrace = 3 * time.Second

// Terminate tells kube-apiserver to end, and does not wait.
// This process must have started the server. The caller must still call Stop.
func (s *Server) Terminate() error { return s.processes.child.Terminate() }

// TerminateAggregated is Terminate for the user's own API server, which must exist.
func (s *Server) TerminateAggregated() error {
	s.processes.aggregated.terminated = true
	return s.processes.aggregated.child.Terminate()
}

// ReadAggregated reads an object straight from the user's own API server.
// This process must have started the server.
func (s *Server) ReadAggregated(ctx context.Context, path string, into any) error {
	return s.processes.aggregated.child.GetJSON(ctx, path, s.AdminToken, into)
}

// AggregatedAddress returns the URL of the user's own API server and the certificate that
// verifies it. With them, clients reach the server without the aggregator.
// ok is false if no such server exists, or if another process has started it.
func (s *Server) AggregatedAddress() (url string, caPEM []byte, ok bool) {
	if s.processes == nil || s.processes.aggregated == nil {
		return "", nil, false
	}
	child := s.processes.aggregated.child
	return fmt.Sprintf("https://127.0.0.1:%d", child.Port), child.CAPEM, true
}

// Stop ends the servers and removes their files.
// It does nothing to a server that another process owns.
func (s *Server) Stop(ctx context.Context) error {
	if s.processes == nil {
		return nil
	}
	var errs []error
	// The state goes first, so that no process attaches to a server that is ending.
	if err := os.Remove(s.processes.stateFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	if a := s.processes.aggregated; a != nil && s.ExternalEtcd && s.processes.child.Err() == nil {
		errs = append(errs, a.Stop(ctx)) // an external etcd would keep the registration
	} else if a != nil {
		a.client.CloseIdleConnections()
		errs = append(errs, a.stop(ctx))
	}
	if s.processes.child != nil {
		errs = append(errs, s.processes.child.Stop(ctx, stopGrace))
	}
	if s.processes.etcd != nil {
		errs = append(errs, s.processes.etcd.Stop(ctx))
	}
	return errors.Join(append(errs, s.processes.runDir.Close())...)
}
