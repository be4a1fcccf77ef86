package apiserver

import (
	"os"
	"path/filepath"

	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
)

// A Kubeconfig has the data that a client needs to reach a server.
type Kubeconfig struct {
	// Server is the URL, such as "https://127.0.0.1:12345".
	// CAPEM is the certificate of the server's authority, in PEM.
	Server string
	CAPEM  []byte
	// User is the name of the credentials. Token is the bearer token.
	User, Token string
}

// Write writes the kubeconfig to a file that only its owner can read.
func (k Kubeconfig) Write(file string) error {
	data, err := yaml.Marshal(k.config())
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		return message.Errorf("writing the kubeconfig of user %q: %w", k.User, err)
	}
	return nil
}

func (k Kubeconfig) config() clientcmdv1.Config {
	const name = "apitrace"
	return clientcmdv1.Config{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: []clientcmdv1.NamedCluster{{
			Name: name, Cluster: clientcmdv1.Cluster{Server: k.Server, CertificateAuthorityData: k.CAPEM},
		}},
		AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: k.User, AuthInfo: clientcmdv1.AuthInfo{Token: k.Token}}},
		Contexts: []clientcmdv1.NamedContext{{
			Name: name, Context: clientcmdv1.Context{Cluster: name, AuthInfo: k.User, Namespace: "default"},
		}},
	}
}

// writeKubeconfigs writes one kubeconfig for each user, and sets the paths in s.
func (s *Server) writeKubeconfigs(dir string) error {
	s.AdminKubeconfig = filepath.Join(dir, "admin.kubeconfig")
	s.LearnerKubeconfig = filepath.Join(dir, "learner.kubeconfig")
	s.SampleKubeconfig = filepath.Join(dir, sampleserver.Name+".kubeconfig")
	type user struct{ user, token, file string }
	users := []user{
		{AdminUser, s.AdminToken, s.AdminKubeconfig},
		{learnerUser, s.LearnerToken, s.LearnerKubeconfig},
		{sampleserver.Name, s.sampleToken, s.SampleKubeconfig},
	}
	if s.ownName != "" {
		users = append(users, user{s.ownName, s.ownToken, s.KubeconfigOf(s.ownName)})
	}
	if s.cluster != nil {
		for _, u := range s.cluster.users {
			users = append(users, user{u.Name, s.cluster.tokenOf[u.Name], s.KubeconfigOf(u.Name)})
		}
	}
	for _, u := range users {
		if err := (Kubeconfig{Server: s.BaseURL, CAPEM: s.CAPEM, User: u.user, Token: u.token}).Write(u.file); err != nil {
			return err
		}
	}
	return nil
}
