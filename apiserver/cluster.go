package apiserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Cluster prepares a Server for the programs that make a cluster of it; see package
// controlplane. The Server then decides as in a cluster: RBAC has upstream's default
// bindings, the Node authorizer and NodeRestriction limit kubelets, and ServiceAccount
// admits pods.
type Cluster struct {
	// Users are the identities of the programs.
	Users []ClusterUser
}

// A ClusterUser is the identity of a program.
type ClusterUser struct {
	Name   string
	Groups []string
}

// clusterFiles has what the programs of a cluster need to reach the server.
type clusterFiles struct {
	users   []ClusterUser
	tokenOf map[string]string // by the user's name
	// ca and serviceAccountKey are the paths of the authority that verifies the server,
	// and of the key that signs tokens of service accounts.
	ca, serviceAccountKey string
}

func newClusterFiles(dir string, c Cluster) *clusterFiles {
	f := &clusterFiles{users: c.Users, tokenOf: map[string]string{}, ca: filepath.Join(dir, "ca.crt")}
	for _, u := range c.Users {
		f.tokenOf[u.Name] = rand.Text()
	}
	return f
}

// tokens returns the users' lines of the file of tokens.
func (f *clusterFiles) tokens() string {
	var lines strings.Builder
	for _, u := range f.users {
		fmt.Fprintf(&lines, "%s,%s,%[2]s,\"%s\"\n", f.tokenOf[u.Name], u.Name, strings.Join(u.Groups, ","))
	}
	return lines.String()
}

func (f *clusterFiles) writeCA(pem []byte) error {
	if err := os.WriteFile(f.ca, pem, 0o600); err != nil {
		return message.Errorf("writing the authority of kube-apiserver: %w", err)
	}
	return nil
}

// KubeconfigOf returns the path of the kubeconfig of a program that sends requests to
// the server: of a ClusterUser, or of an API server behind the aggregator.
func (s *Server) KubeconfigOf(user string) string {
	name := strings.ReplaceAll(user, ":", "-") + ".kubeconfig"
	return filepath.Join(filepath.Dir(s.SampleKubeconfig), name)
}

// CAFile returns the path of the authority that verifies the server. The Server must
// have a Cluster, and this process must have started it.
func (s *Server) CAFile() string { return s.cluster.ca }

// ServiceAccountKeyFile returns the path of the key that signs tokens of service
// accounts. The Server must have a Cluster, and this process must have started it.
func (s *Server) ServiceAccountKeyFile() string { return s.cluster.serviceAccountKey }

// Get reads an object as the admin.
func (s *Server) Get(ctx context.Context, path string, into any) error {
	client, err := s.Client()
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	return s.readAsAdmin(ctx, client, path, into)
}
