package code

import (
	"errors"
	"io"
	"slices"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A Choice selects a release and recordings to look up a function in.
type Choice struct {
	// K8s is the release, as for --k8s. "" selects the recordings' release, else the
	// default.
	K8s string
	// Traces are files of recordings. Scenario names an embedded recording. Without
	// both, all embedded recordings of the release are used.
	Traces   []string
	Scenario string
	// Own is an API server behind the aggregator to read instead, if not zero. Only
	// Traces have recordings of it, unless it is the release's sample server.
	Own serverconfig.Own
}

// Validate checks the choice before files are read.
func (o *Choice) Validate() error {
	release, err := apiserver.ParseReadable(o.K8s)
	if err != nil {
		return message.ToUsageError(err)
	}
	if err := o.Own.Check(); err != nil {
		return message.ToUsageError(err)
	}
	if o.Scenario != "" && !o.Own.IsZero() && !apiserver.IsSampleServer(o.Own, release) {
		return message.UsageErrorf("--scenario names a recording of apitrace, and none has the server of --server: give recordings of your own with --trace")
	}
	if o.Scenario != "" && len(o.Traces) > 0 {
		return message.UsageErrorf("--scenario names a recording of apitrace, --trace a file: choose one of them")
	}
	return nil
}

// Detailed reports whether to show each request of the recordings: the user has
// selected recordings.
func (o *Choice) Detailed() bool { return o.Scenario != "" || len(o.Traces) > 0 }

// Open opens the version's source with the selected recordings, or with all
// embedded ones.
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
			return "", nil, message.UsageErrorf("%q was recorded on Kubernetes %s, not %s: line numbers differ between releases", file, rec.K8sVersion, version)
		}
		of = append(of, rec)
	}
	if version, err = apiserver.ParseReadable(version); err != nil || len(of) > 0 {
		return version, of, err
	}
	sample := apiserver.IsSampleServer(o.Own, version)
	if !o.Own.IsZero() && !sample {
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
	if sample {
		of = slices.DeleteFunc(of, func(rec *trace.Recording) bool { return !ran(rec, trace.ProcessSample) })
	}
	return version, of, err
}

// ran reports whether a recording has calls of a process.
func ran(rec *trace.Recording, process string) bool {
	return slices.ContainsFunc(rec.Requests, func(r trace.Request) bool {
		return slices.ContainsFunc(r.Calls, func(call trace.Call) bool { return call.Process == process })
	})
}
