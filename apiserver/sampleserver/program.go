// Package sampleserver runs upstream's sample API server, the example of a server
// behind the aggregator of a kube-apiserver. It also runs other servers with the same
// library.
//
// The package knows only the server itself. Registering the server with a
// kube-apiserver belongs to package apiserver.
package sampleserver

import (
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

const (
	// Name is the name of the program in traces.
	Name = trace.ProcessSample
	// Module is the module path of the sample server.
	Module = "k8s.io/sample-apiserver"
	// Group is the API group of the sample server.
	Group = "wardle.example.com"
)

// Versions are the versions of Group in the sample server, the preferred version
// first.
var Versions = []string{"v1beta1", "v1alpha1"}

// Program returns how to build the sample server of a version, such as "v0.37.1" for
// Kubernetes v1.37.1.
func Program(version string) program.Program {
	return program.Program{
		Name:    Name,
		Module:  Module,
		Version: version,
		Main:    "main.go",
		Space:   3e9,
	}
}
