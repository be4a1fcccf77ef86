package controlplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// Node is the name of the one node.
const Node = "n1"

// The users as which the programs reach kube-apiserver, as in a real cluster.
const (
	controllerManagerUser = "system:kube-controller-manager"
	schedulerUser         = "system:kube-scheduler"
	kubeletUser           = "system:node:" + Node
)

// Cluster returns the identities of the programs. kube-apiserver needs them at its start.
func Cluster() *apiserver.Cluster {
	return &apiserver.Cluster{Users: []apiserver.ClusterUser{
		{Name: controllerManagerUser},
		{Name: schedulerUser},
		{Name: kubeletUser, Groups: []string{"system:nodes"}},
	}}
}

// A Plane is the running programs beside one kube-apiserver.
type Plane struct {
	server *apiserver.Server
	build  *Build
	check  bool
	runDir *program.RunDir
	// ca signs the certificates of the programs' own health endpoints.
	ca *authority.Authority

	mu       sync.Mutex
	children []*program.Child
	sockets  map[string]string
	// ended is closed when one of the programs has ended.
	ended   chan struct{}
	endOnce sync.Once
}

// longestPart is the longest path of a socket below the run directory: the kubelet's
// socket for the resources of pods. The number is the name of its root folder.
const longestPart = "/" + Node + "/1234567890/pod-resources/kubelet.sock"

// Start starts the programs and waits until a pod can run: until kube-controller-manager
// and kube-scheduler are healthy, the namespace "default" has its service account, and
// the node is ready. The server must have been started with Cluster. The programs end with
// this process, however it ends. The caller must call Stop before it stops the server.
func Start(ctx context.Context, server *apiserver.Server, build *Build) (*Plane, error) {
	runDir, err := program.NewRunDirFor(longestPart)
	if err != nil {
		return nil, err
	}
	p := &Plane{server: server, build: build, check: server.Check, runDir: runDir, sockets: map[string]string{}, ended: make(chan struct{})}
	if err := p.start(ctx); err != nil {
		return nil, errors.Join(message.Errorf("starting the control plane: %w", err), p.Stop(context.WithoutCancel(ctx)))
	}
	return p, nil
}

func (p *Plane) start(ctx context.Context) (err error) {
	if p.ca, err = authority.New("apitrace control plane"); err != nil {
		return err
	}
	// The programs start together, because they wait for each other: the kubelet's node is
	// ready for pods once a controller has seen it.
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return p.startControllerManager(ctx) })
	all.Go(func() error { return p.startScheduler(ctx) })
	all.Go(func() error { return p.startKubelet(ctx) })
	return all.Wait()
}

func (p *Plane) startControllerManager(ctx context.Context) error {
	return p.startServing(ctx, controllerManager, "controllers", func(dir string) ([]string, error) {
		return []string{
			"--kubeconfig=" + p.server.KubeconfigOf(controllerManagerUser),
			"--leader-elect=false",
			"--use-service-account-credentials",
			"--service-account-private-key-file=" + p.server.ServiceAccountKeyFile(),
			"--root-ca-file=" + p.server.CAFile(),
			// As root, it would make upstream's folder on the machine.
			"--flex-volume-plugin-dir=" + filepath.Join(dir, "flexvolume"),
			// Before it starts its controllers, it makes a service account and a token for
			// each. With the limits of a cluster, that takes five seconds.
			"--kube-api-qps=500", "--kube-api-burst=500",
		}, nil
	}, []string{"Deployment", "ReplicaSet", "Pod"}, func(ctx context.Context) error {
		// Without these, no pod is admitted, or none can start.
		for _, path := range []string{"serviceaccounts/default", "configmaps/kube-root-ca.crt"} {
			if err := p.server.Get(ctx, "/api/v1/namespaces/default/"+path, new(any)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *Plane) startScheduler(ctx context.Context) error {
	return p.startServing(ctx, scheduler, "scheduler", func(dir string) ([]string, error) {
		config := filepath.Join(dir, "config.yaml")
		text := fmt.Sprintf("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\nclientConnection: {kubeconfig: %q}\n", p.server.KubeconfigOf(schedulerUser))
		return []string{"--config=" + config}, os.WriteFile(config, []byte(text), 0o600)
	}, []string{"Node", "Pod"}, func(context.Context) error { return nil })
}

// startServing starts a program that answers on loopback whether it is healthy. part
// names its folder. flags returns its flags, and may write files to the folder. watches are
// the types of objects that it must watch. ready checks the program's first work.
func (p *Plane) startServing(ctx context.Context, name, part string, flags func(dir string) ([]string, error), watches []string, ready func(context.Context) error) error {
	dir, err := p.runDir.Part(part)
	if err != nil {
		return err
	}
	args, err := flags(dir)
	if err != nil {
		return err
	}
	cert, key, err := p.ca.Issue(name)
	if err != nil {
		return err
	}
	certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := errors.Join(os.WriteFile(certFile, cert, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
		return message.Errorf("writing the keys of %s: %w", name, err)
	}
	child, err := program.WithFreePort(func(port int) (*program.Child, error) {
		return p.run(ctx, program.Server{
			Name: name, Dir: dir,
			Args: append([]string{
				"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
				"--tls-cert-file=" + certFile, "--tls-private-key-file=" + keyFile,
			}, args...),
			Ready: func(ctx context.Context) error {
				if err := p.healthy(ctx, port); err != nil {
					return err
				}
				return ready(ctx)
			},
		}, watches)
	})
	return p.add(child, err)
}

// healthy asks a program on a port whether it is healthy. It answers everybody.
func (p *Plane) healthy(ctx context.Context, port int) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.ca.CertPEM)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://127.0.0.1:%d/healthz", port), nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = message.Errorf("GET /healthz: %d: %s", resp.StatusCode, answer)
	}
	return err
}

func (p *Plane) startKubelet(ctx context.Context) error {
	dir, err := p.runDir.Part(Node)
	if err != nil {
		return err
	}
	return p.add(p.run(ctx, program.Server{
		Name: kubelet, Dir: dir,
		Args: []string{
			"--morph=kubelet", "--name=" + Node,
			"--kubeconfig=" + p.server.KubeconfigOf(kubeletUser),
			"--use-host-image-service=false",
			"--kubelet-port=0", "--kubelet-read-only-port=0",
		},
		Ready: p.nodeReady,
	}, []string{"Pod"}))
}

// run starts a program and waits until it is ready and watches the objects of some types.
func (p *Plane) run(ctx context.Context, s program.Server, watches []string) (*program.Child, error) {
	s.Path, s.Check = p.build.binaries[s.Name].Path, p.check
	s.Args = append(s.Args, "--v=2") // for watching
	ready := s.Ready
	s.Ready = func(ctx context.Context) error {
		if err := ready(ctx); err != nil {
			return err
		}
		return watching(s.LogFile(), watches)
	}
	p.mu.Lock()
	p.sockets[s.Name] = s.Socket()
	p.mu.Unlock()
	return program.Start(ctx, s)
}

// watching returns nil if a program has listed the objects of the types and watches them.
// It handles what changes before that as part of its list, not as an event. client-go logs
// it since v1.30 at verbosity 2 (tools/cache/reflector.go, ListAndWatch).
func watching(log string, types []string) error {
	text, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	for _, t := range types {
		if !bytes.Contains(text, fmt.Appendf(nil, `"Caches populated" type="*v1.%s" `, t)) && !bytes.Contains(text, fmt.Appendf(nil, "Caches populated for *v1.%s from ", t)) {
			return message.Errorf("it does not watch objects of the type %s yet", t)
		}
	}
	return nil
}

// add adds a started program to the programs that Stop ends and Done watches. If the start
// failed with err, add returns err.
func (p *Plane) add(child *program.Child, err error) error {
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.children = append(p.children, child)
	go func() {
		<-child.Done()
		p.endOnce.Do(func() { close(p.ended) })
	}()
	return nil
}

// Sockets maps the name of each program to the unix socket of its probe.
func (p *Plane) Sockets() map[string]string { return p.sockets }

// Done returns a channel that is closed once one of the programs ends, for any reason.
func (p *Plane) Done() <-chan struct{} { return p.ended }

// Err returns which program ended and how, with its last log lines. It is valid after
// Done is closed.
func (p *Plane) Err() error {
	for _, child := range p.children {
		if err := child.Err(); err != nil {
			return err
		}
	}
	return nil
}

// stopGrace limits how long a program may take to end by itself. It has nothing to save.
const stopGrace = 100 * time.Millisecond

// Stop ends the programs and removes their files.
func (p *Plane) Stop(ctx context.Context) error {
	var all errgroup.Group
	for _, child := range p.children {
		all.Go(func() error { return child.Stop(ctx, stopGrace) })
	}
	return errors.Join(all.Wait(), p.runDir.Close())
}
