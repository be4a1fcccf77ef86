package apiserver

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/authority"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/release"
)

// files are the paths of the files that kube-apiserver reads at its start.
type files struct {
	tlsCert, tlsKey, serviceAccountKey, tokens, proxyCert, proxyKey string
}

// proxyName is the name in the aggregator's certificate, which aggregated servers verify.
const proxyName = "kube-aggregator"

// writeFiles writes the server's certificates, keys and tokens to files in dir. It stores in s
// the values that clients and aggregated servers need.
func (s *Server) writeFiles(dir string) (files, error) {
	f := files{
		tlsCert: filepath.Join(dir, "tls.crt"), tlsKey: filepath.Join(dir, "tls.key"),
		serviceAccountKey: filepath.Join(dir, "service-account.key"), tokens: filepath.Join(dir, "tokens.csv"),
		proxyCert: filepath.Join(dir, "proxy.crt"), proxyKey: filepath.Join(dir, "proxy.key"),
	}
	ca, err := authority.New("apitrace kube-apiserver")
	if err != nil {
		return f, err
	}
	cert, key, err := ca.Issue(Name)
	if err != nil {
		return f, err
	}
	serviceAccountKey, err := authority.NewKeyPEM()
	if err != nil {
		return f, err
	}
	proxyCA, err := authority.New("apitrace aggregator")
	if err != nil {
		return f, err
	}
	proxyCert, proxyKey, err := proxyCA.Issue(proxyName)
	if err != nil {
		return f, err
	}
	s.ProxyCAFile = filepath.Join(dir, "proxy-ca.crt")
	s.CAPEM, s.AdminToken, s.LearnerToken, s.sampleToken = ca.CertPEM, rand.Text(), rand.Text(), rand.Text()
	s.PlayerTokens = []string{rand.Text(), rand.Text()}
	// Columns: token, user, uid, groups.
	tokens := fmt.Sprintf("%s,%s,%[2]s,system:masters\n%s,%s,%[4]s\n%s,%s,%[6]s\n",
		s.AdminToken, AdminUser, s.LearnerToken, learnerUser, s.sampleToken, sampleserver.Name)
	if s.ownName != "" {
		s.ownToken = rand.Text()
		tokens += fmt.Sprintf("%s,%s,%[2]s\n", s.ownToken, s.ownName)
	}
	for _, token := range s.PlayerTokens {
		tokens += fmt.Sprintf("%s,%s,%[2]s\n", token, learnerUser)
	}
	if s.cluster != nil {
		s.cluster.serviceAccountKey = f.serviceAccountKey
		tokens += s.cluster.tokens()
		if err := s.cluster.writeCA(s.CAPEM); err != nil {
			return f, err
		}
	}
	for path, data := range map[string][]byte{
		f.tlsCert: cert, f.tlsKey: key, f.serviceAccountKey: serviceAccountKey, f.tokens: []byte(tokens),
		f.proxyCert: proxyCert, f.proxyKey: proxyKey, s.ProxyCAFile: proxyCA.CertPEM,
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return f, message.Errorf("writing kube-apiserver's keys: %w", err)
		}
	}
	return f, nil
}

// program returns how to run kube-apiserver on a port. It sets s.BaseURL.
func (s *Server) program(binary, dir string, f files, port int, extra serverconfig.Extra) (program.Server, error) {
	s.BaseURL = fmt.Sprintf("https://127.0.0.1:%d", port)
	args, err := extra.Prepare(filepath.Join(dir, "extra"), s.flags(f, port))
	return program.Server{
		Name: Name, Path: binary, Dir: dir, Check: s.Check, Boot: s.processes.boot,
		Args:   args,
		Remove: []string{s.processes.stateFile},
		Ready:  s.ready,
	}, err
}

// flags returns the flags that kube-apiserver needs to start, and to be unreachable from
// other machines.
// All other settings, including the feature gates, are upstream's defaults.
func (s *Server) flags(f files, port int) []string {
	flags := append(s.Etcd.Flags(),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		// By default, kube-apiserver advertises the address of the default route, which may
		// not exist. It publishes no endpoint, because no cluster uses it.
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none",
		"--tls-cert-file="+f.tlsCert,
		"--tls-private-key-file="+f.tlsKey,

		"--token-auth-file="+f.tokens,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+f.serviceAccountKey,
		"--service-account-signing-key-file="+f.serviceAccountKey,
		"--service-cluster-ip-range=10.0.0.0/24",

		// With this certificate, the aggregator proves to an aggregated server that it may
		// act for users.
		"--proxy-client-cert-file="+f.proxyCert,
		"--proxy-client-key-file="+f.proxyKey,
	)
	flags = append(flags, s.decisionFlags()...)
	if insecureReleases.Has(s.K8sVersion) {
		// Otherwise every client that reaches port 8080 would be an administrator.
		flags = append(flags, "--insecure-port=0")
	}
	return flags
}

// decisionFlags returns the flags that choose who decides on a request.
func (s *Server) decisionFlags() []string {
	if s.Cluster {
		return []string{"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"}
	}
	return []string{
		"--authorization-mode=RBAC",
		// The plugin ServiceAccount requires a service account in every namespace. Only the
		// controller manager, which does not run here, creates these accounts.
		"--disable-admission-plugins=ServiceAccount",
	}
}

// insecureReleases also listen without TLS and authentication by default, on port 8080.
var insecureReleases = release.Range{Until: "v1.19"}
