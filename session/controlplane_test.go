package session

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

func TestValidateControlPlane(t *testing.T) {
	for _, test := range []struct {
		spec Spec
		want string
	}{
		{Spec{Version: apiserver.DefaultVersion}, ""},
		{Spec{Version: "1.30"}, ""},
		{Spec{Version: "v1.29.15"}, "--control-plane needs Kubernetes v1.30 or newer, not v1.29.15"},
		{Spec{Version: apiserver.DefaultVersion, Etcd: storage.Endpoint{URL: "http://127.0.0.1:1"}}, "--control-plane needs its own etcd"},
	} {
		if err := (ServerOptions{Spec: test.spec}).Validate(); err != nil {
			t.Errorf("%+v alone: %v", test.spec, err)
		}
		test.spec.ControlPlane = true
		err := ServerOptions{Spec: test.spec}.Validate()
		if test.want == "" && err == nil {
			continue
		}
		if err == nil || test.want == "" || !strings.Contains(err.Error(), test.want) || !errors.As(err, new(*message.UsageError)) {
			t.Errorf("%+v: %v, expected %q", test.spec, err, test.want)
		}
	}
}

// The plan lists the programs only if they are wanted. It needs no network.
func TestPlanOfControlPlane(t *testing.T) {
	t.Setenv(program.CacheEnv, t.TempDir())
	t.Setenv("GOPROXY", "off")
	for _, wanted := range []bool{false, true} {
		o := ServerOptions{Spec: Spec{Version: apiserver.DefaultVersion, ControlPlane: wanted}, Edits: EditsIn(t.TempDir())}
		var out bytes.Buffer
		if err := o.WritePlan(t.Context(), false, nil, &out, message.For("en")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"kube-controller-manager", "kube-scheduler", "hollow-kubelet"} {
			if listed := strings.Contains(out.String(), "# "+name+" "+apiserver.DefaultVersion+", instrumented\n"); listed != wanted {
				t.Errorf("with ControlPlane %t, the plan lists %s: %t\n%s", wanted, name, listed, &out)
			}
		}
	}
}

// A server with a control plane is not the server of a scenario: its requests would pass
// other authorizers and admission plugins.
func TestControlPlaneIsAKindOfServer(t *testing.T) {
	alone, beside := Spec{}.startOptions().Variant(), Spec{ControlPlane: true}.startOptions().Variant()
	if alone != "" || beside == "" {
		t.Errorf("the variants are %q alone and %q with a control plane", alone, beside)
	}
}
