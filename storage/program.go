// Package storage runs the etcd behind a kube-apiserver, and reads what requests
// left in it.
package storage

import (
	"github.com/kubeapitrace/apitrace/program"
)

const (
	// Name is the name of the program, as it stands in traces.
	Name = "etcd"
	// serverModule holds etcd's server.
	serverModule = "go.etcd.io/etcd/server/v3"
	// ClientModule is the etcd client that kube-apiserver is built with. Its version
	// is also that of the server we run: upstream releases them together.
	ClientModule = "go.etcd.io/etcd/client/v3"
)

// Program says how to build etcd of the given version ("v3.7.0").
func Program(version string) program.Program {
	return program.Program{
		Name:    Name,
		Module:  serverModule,
		Version: version,
		Main:    "main.go",
		Space:   800e6,
	}
}
