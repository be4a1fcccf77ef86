package apiserver

import (
	"context"

	"github.com/kubeapitrace/apitrace/internal/program"
)

// Carried returns what an export of a release has: kube-apiserver and its etcd, and with sample the sample API server.
// With rebuild they can be built with edits where the export is imported. Edits of the user are not part of it.
func Carried(ctx context.Context, o BuildOptions, sample, rebuild bool) ([]program.Carried, error) {
	o.EditsDir = ""
	pair, err := o.resolve(ctx)
	if err != nil {
		return nil, err
	}
	all := []program.Carried{
		{Program: pair.apiserver, Options: pair.apiserverOptions, Rebuild: rebuild},
		{Program: pair.etcd, Options: pair.etcdOptions, Rebuild: rebuild},
	}
	if sample {
		p, options, _, err := o.sample()
		if err != nil {
			return nil, err
		}
		all = append(all, program.Carried{Program: p, Options: options, Rebuild: rebuild})
	}
	return all, nil
}
