package apiserver

import (
	"context"
	"fmt"

	"github.com/kubeapitrace/apitrace/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// SourceTree returns the folder with the pristine source of one of the two programs,
// Name or storage.Name, for a version of Kubernetes, and of all that it depends on:
// below it, a file has the path that calls name. What is not there is fetched;
// nothing is built.
func SourceTree(ctx context.Context, programName string, o BuildOptions) (string, error) {
	o.Plain = true // the source is the same
	pair, err := o.resolve(ctx)
	if err != nil {
		return "", err
	}
	switch programName {
	case Name:
		return program.SourceTree(ctx, pair.apiserver, pair.apiserverOptions)
	case storage.Name:
		return program.SourceTree(ctx, pair.etcd, pair.etcdOptions)
	}
	return "", fmt.Errorf("no source of a program %q: expected %q or %q", programName, Name, storage.Name)
}
