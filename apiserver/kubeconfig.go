package apiserver

import (
	"fmt"
	"os"
	"path/filepath"

	clientcmdv1 "k8s.io/client-go/tools/clientcmd/api/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/sampleserver"
)

// writeKubeconfigs writes one kubeconfig for each user.
func (s *Server) writeKubeconfigs(dir string) error {
	s.AdminKubeconfig = filepath.Join(dir, "admin.kubeconfig")
	s.LearnerKubeconfig = filepath.Join(dir, "learner.kubeconfig")
	s.SampleKubeconfig = filepath.Join(dir, sampleserver.Name+".kubeconfig")
	for _, u := range []struct{ user, token, file string }{
		{AdminUser, s.AdminToken, s.AdminKubeconfig},
		{LearnerUser, s.LearnerToken, s.LearnerKubeconfig},
		{sampleserver.Name, s.sampleToken, s.SampleKubeconfig},
	} {
		data, err := yaml.Marshal(s.kubeconfig(u.user, u.token))
		if err == nil {
			err = os.WriteFile(u.file, data, 0o600)
		}
		if err != nil {
			return fmt.Errorf("writing the kubeconfig of user %q: %w", u.user, err)
		}
	}
	return nil
}

func (s *Server) kubeconfig(user, token string) clientcmdv1.Config {
	const name = "apitrace"
	return clientcmdv1.Config{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: []clientcmdv1.NamedCluster{{
			Name: name, Cluster: clientcmdv1.Cluster{Server: s.BaseURL, CertificateAuthorityData: s.CAPEM},
		}},
		AuthInfos: []clientcmdv1.NamedAuthInfo{{Name: user, AuthInfo: clientcmdv1.AuthInfo{Token: token}}},
		Contexts: []clientcmdv1.NamedContext{{
			Name: name, Context: clientcmdv1.Context{Cluster: name, AuthInfo: user, Namespace: "default"},
		}},
	}
}
