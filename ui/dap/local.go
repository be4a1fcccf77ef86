package dap

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/controlplane"
	"github.com/kubeapitrace/apitrace/internal/message"
	serving "github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// Local is a Library of the embedded recordings, and of the files and
// sources on this machine.
type Local struct {
	// To receives notices about incomplete files, and the progress
	// of downloads of sources.
	To serving.Reporter
}

var _ Library = Local{}

// Recording implements Library.
func (l Local) Recording(launch Launch) (*trace.Recording, error) {
	if launch.File == "" {
		return serving.Recorded(launch.K8s, launch.Scenario)
	}
	if launch.K8s != "" || launch.File == "-" {
		return nil, message.Errorf("\"file\" is %q: expected the path of a recording; leave \"k8s\" out, because a recording is of one release", launch.File)
	}
	return serving.LoadFile(launch.File, l.To)
}

// SourceFolder implements Library.
func (l Local) SourceFolder(ctx context.Context, rec *trace.Recording, process string, fetch bool) (string, error) {
	if !fetch {
		return controlplane.CachedTreeOf(process, rec.K8sVersion, nil)
	}
	display := l.To.Building()
	defer display.Close()
	src, err := serving.SourceOf(ctx, rec, process, apiserver.BuildOptions{Version: rec.K8sVersion, Progress: display})
	if err != nil {
		return "", err
	}
	return src.Dir, nil
}
