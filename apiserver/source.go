package apiserver

import (
	"context"
	"errors"

	"github.com/kubeapitrace/apitrace/apiserver/sampleserver"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/storage"
)

// A Source is the pristine source of a program and of all that it depends on.
type Source struct {
	// Program is the name of the program, Version its own version.
	Program, Version string
	// Dir is the vendor folder. Below it, a file has the path that calls name.
	Dir string
}

// SourceOf returns the source of a traced program, given by its name, of a version of Kubernetes. It
// fetches the source if necessary, and builds nothing.
func SourceOf(ctx context.Context, programName string, o BuildOptions) (*Source, error) {
	o.Plain = true // the source is the same
	p, options, err := o.named(ctx, programName)
	if err != nil {
		return nil, err
	}
	dir, err := program.SourceTree(ctx, p, options)
	if err != nil {
		return nil, err
	}
	return &Source{Program: p.Name, Version: p.Release(), Dir: dir}, nil
}

// named returns the program with a name, and how to build it.
func (o BuildOptions) named(ctx context.Context, name string) (program.Program, program.Options, error) {
	switch name {
	case Name, storage.Name:
		find := o.resolve
		if name == Name && program.IsLocal(o.Version) { // the cache has it, whatever etcd its go.mod requires
			find = func(context.Context) (*pair, error) { return o.withoutEtcd() }
		}
		pair, err := find(ctx)
		if err != nil {
			return program.Program{}, program.Options{}, err
		}
		if name == Name {
			return pair.apiserver, pair.apiserverOptions, nil
		}
		return pair.etcd, pair.etcdOptions, nil
	case sampleserver.Name:
		p, options, _, err := o.sample()
		return p, options, err
	}
	return program.Program{}, program.Options{}, message.Errorf("no source of program %q: expected %q, %q or %q", name, Name, storage.Name, sampleserver.Name)
}

// CachedSourceOf returns the folder of SourceOf if it is in the cache, else program.ErrNoSource. A nil cache
// means the default one. It fetches nothing. If the sample server's folder is not in the cache, it returns
// kube-apiserver's, which has the files that both programs share, but not the sample server's own.
func CachedSourceOf(programName, version string, c *program.Cache) (dir string, err error) {
	dir, err = CachedTreeOf(programName, version, c)
	if programName == sampleserver.Name && errors.Is(err, program.ErrNoSource) {
		return CachedTreeOf(Name, version, c)
	}
	return dir, err
}

// CachedTreeOf is CachedSourceOf that returns program.ErrNoSource for a sample server whose own folder is not in the cache.
func CachedTreeOf(programName, version string, c *program.Cache) (dir string, err error) {
	if c == nil {
		if c, err = program.OpenCache(""); err != nil {
			return "", err
		}
	}
	if programName == sampleserver.Name {
		dir, _, err = program.CachedSource(c, SampleProgram(version))
		return dir, err
	}
	if programName != Name && programName != storage.Name {
		return "", message.Errorf("%s: %w", programName, program.ErrNoSource)
	}
	dir, up, err := program.CachedSource(c, Program(version))
	if err != nil || programName == Name {
		return dir, err
	}
	etcd, err := storage.ProgramOf(up)
	if err != nil {
		return "", err
	}
	dir, _, err = program.CachedSource(c, etcd)
	return dir, err
}
