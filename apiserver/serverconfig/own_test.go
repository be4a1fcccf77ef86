package serverconfig

import "testing"

func TestCommandLine(t *testing.T) {
	for want, own := range map[string]Own{
		"--server ./mine": {Server: "./mine", Flags: []string{"--v=2"}},
		"--server sigs.k8s.io/metrics-server@v0.9.0 --main ./cmd/x": {Server: "sigs.k8s.io/metrics-server@v0.9.0", Main: "./cmd/x"},
		`--server './my server'`:                                    {Server: "./my server"},
		`--server './it'\''s'`:                                      {Server: "./it's"},
	} {
		if got := own.CommandLine(); got != want {
			t.Errorf("got %q, expected %q", got, want)
		}
	}
}
