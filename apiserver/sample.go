package apiserver

import (
	"errors"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/instrument/traced"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// sample is the sample server as a program that apitrace traces.
// Most of its code is also in kube-apiserver, so the guide selects its entries by the version
// of Kubernetes.
var sample = traced.Program{
	Name: sampleserver.Name,
	ForVersion: func(k8s string, _ func() (program.Upstream, error)) (program.Program, error) {
		return SampleProgram(k8s), nil
	},
	Optional: true,
	Packages: []string{sampleserver.Name + "/"},
	Explain:  func(_ *traced.Recipe, err error) error { return explainNoSample(err) },
}

// SampleProgram returns how to build the sample server of a version of Kubernetes.
// The version has the form that ParseVersion returns.
// A checkout gets the sample server of a tested release; see testedRelease.
func SampleProgram(version string) program.Program {
	if program.IsLocal(version) {
		version = testedRelease(version)
	}
	return sampleserver.Program(stagingVersion(version))
}

// explainNoSample rewrites the error for a sample server that does not exist.
// It returns any other error unchanged.
func explainNoSample(err error) error {
	var download *program.DownloadError
	if errors.As(err, &download) && download.Unknown() {
		return message.Errorf("the sample server of this release of Kubernetes is not available from the module proxy (go env GOPROXY): %w; choose another release, such as %s",
			download, DefaultVersion)
	}
	return err
}
