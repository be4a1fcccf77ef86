package apiserver

import (
	"context"
	"fmt"

	"github.com/kubeapitrace/apitrace/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// A Source is the pristine source of a program and of all that it depends on.
type Source struct {
	// Program is Name or storage.Name, Version its own version.
	Program, Version string
	// Dir is the vendor folder. Below it, a file has the path that calls name.
	Dir string
}

// SourceOf returns the source of one of the two programs, Name or storage.Name, of a
// version of Kubernetes. What is not there is fetched; nothing is built.
func SourceOf(ctx context.Context, programName string, o BuildOptions) (*Source, error) {
	o.Plain = true // the source is the same
	pair, err := o.resolve(ctx)
	if err != nil {
		return nil, err
	}
	p, options := pair.apiserver, pair.apiserverOptions
	switch programName {
	case Name:
	case storage.Name:
		p, options = pair.etcd, pair.etcdOptions
	default:
		return nil, fmt.Errorf("no source of a program %q: expected %q or %q", programName, Name, storage.Name)
	}
	dir, err := program.SourceTree(ctx, p, options)
	if err != nil {
		return nil, err
	}
	return &Source{Program: p.Name, Version: p.Version, Dir: dir}, nil
}
