package apiserver

import (
	"context"
	"errors"
	"io"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// SampleProgram says how to build the sample server that belongs to a version of
// Kubernetes in the form that ParseVersion gives; to a checkout, that of the release that it comes next to.
func SampleProgram(version string) program.Program {
	if program.IsLocal(version) {
		version = triedLike(version)
	}
	return sampleserver.Program(stagingVersion(version))
}

// BuildSample builds the sample server that belongs to a version of Kubernetes, or
// finds it in the cache.
func BuildSample(ctx context.Context, o BuildOptions) (*program.Binary, error) {
	p, options, edits, err := o.sample()
	if err != nil {
		return nil, err
	}
	binary, err := program.Build(ctx, p, options)
	return binary, explainCompile(explainNoSample(err), edits)
}

// WriteSamplePlan prints the steps of BuildSample without executing them. It does not use the network.
func WriteSamplePlan(ctx context.Context, w io.Writer, in message.Printer, o BuildOptions) error {
	p, options, _, err := o.sample()
	if err != nil {
		return err
	}
	plan, err := program.MakePlan(ctx, p, options)
	if err != nil {
		return err
	}
	return plan.Write(w, in)
}

// sample returns the sample server of the version, and how to build it.
func (o BuildOptions) sample() (p program.Program, options program.Options, edits []program.Edit, err error) {
	pair, err := o.withoutEtcd()
	if err != nil {
		return p, options, nil, err
	}
	version := pair.apiserver.Version
	p, options = SampleProgram(version), pair.apiserverOptions
	if pair.guide == nil {
		return p, options, nil, nil
	}
	edits, err = program.Edits{Dir: o.EditsDir, Version: version}.Changed(sampleserver.Name)
	// Most of its code is kube-apiserver's, so the guide counts its versions as those of Kubernetes.
	options.Rewrite = instrumentation(pair.guide, p, version, edits)
	return p, options, edits, err
}

// explainNoSample returns one error for a sample server that does not exist, and another if it could not be fetched.
func explainNoSample(err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return message.Errorf("the sample server of this release of Kubernetes is not available from the module proxy (go env GOPROXY): %w; choose another release, such as %s",
			download, DefaultVersion)
	}
	return err
}
