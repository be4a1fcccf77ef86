package code

import (
	"errors"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Choice selects the release and the recordings in which a function is looked up.
type Choice struct {
	// K8s is the release, in a form that --k8s accepts; "" selects the release of the recordings, else the default.
	K8s string
	// Traces are files of recordings; Scenario names an embedded recording. Without both, all embedded recordings of
	// the release are used.
	Traces   []string
	Scenario string
	// Own is an API server behind the aggregator, whose source is read instead; the zero value is none. Only Traces have
	// recordings of it.
	Own serverconfig.Own
}

// Validate checks the choice before anything is read.
func (o *Choice) Validate() error {
	if _, err := apiserver.ParseReadable(o.K8s); err != nil {
		return usage.Wrong(err)
	}
	if err := o.Own.Check(); err != nil {
		return usage.Wrong(err)
	}
	if o.Scenario != "" && !o.Own.IsZero() {
		return usage.Errorf("--scenario names a recording of apitrace, and none has the server of --server: give recordings of your own with --trace")
	}
	if o.Scenario != "" && len(o.Traces) > 0 {
		return usage.Errorf("--scenario names a recording of apitrace, --trace a file: choose one of them")
	}
	return nil
}

// Detailed reports whether to show each request of the recordings: the user has selected some.
func (o *Choice) Detailed() bool { return o.Scenario != "" || len(o.Traces) > 0 }

// Open opens the source of the version with the selected recordings, or with all embedded recordings of
// the version.
func (o *Choice) Open(in io.Reader, to session.Reporter) (*Base, error) {
	version, of, err := o.load(in, to)
	if err != nil {
		return nil, err
	}
	return open(version, o.Own, of, to)
}

func (o *Choice) load(in io.Reader, to session.Reporter) (version string, of []*trace.Recording, err error) {
	version = o.K8s
	for _, file := range o.Traces {
		rec, err := session.Load(file, in, to)
		if err != nil {
			return "", nil, err
		}
		if version == "" {
			version = rec.K8sVersion
		} else if version, err = apiserver.ParseReadable(version); err != nil {
			return "", nil, err
		}
		if rec.K8sVersion != version {
			return "", nil, usage.Errorf("%q was recorded on Kubernetes %s, not %s: line numbers differ between releases", file, rec.K8sVersion, version)
		}
		of = append(of, rec)
	}
	if version, err = apiserver.ParseReadable(version); err != nil || len(of) > 0 {
		return version, of, err
	}
	if !o.Own.IsZero() {
		return version, nil, nil
	}
	if o.Scenario != "" {
		rec, err := session.Recorded(version, o.Scenario)
		return version, []*trace.Recording{rec}, err
	}
	of, err = recordings.All(version)
	if errors.As(err, new(*recordings.UnknownVersionError)) {
		return version, nil, nil // without recordings, only the source describes the function
	}
	return version, of, err
}
