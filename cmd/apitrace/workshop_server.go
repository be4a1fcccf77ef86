package main

import (
	"context"
	"errors"

	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// A learnersServer is the server of the exercises that need one: it is found or built, and started.
type learnersServer struct{ std *streams }

// errSeen ends a replay once everything that was to be traced is.
var errSeen = errors.New("the trace is there")

func (s *learnersServer) Replay(ctx context.Context, k8s string, scenario *scenarios.Scenario, edits string) (_ *trace.Recording, messages []string, err error) {
	server := &serverOptions{k8s: k8s, edits: edits}
	server.want(scenario)
	ctx, running, stop, err := server.obtain(ctx, s.std)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	r := newReplay(running, scenario)
	left := len(scenario.Traced())
	err = r.playUntil(ctx, s.std, func() error {
		if left--; left == 0 {
			return errSeen
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, nil, errors.Join(deathOf(ctx), err)
	}
	if !errors.Is(err, errSeen) {
		return nil, nil, err
	}
	return &r.recording, r.messages, nil
}

func (s *learnersServer) EditsDir() (string, error) { return editsDir() }

func (s *learnersServer) Edits(k8s string) ([]program.Edit, error) {
	dir, err := editsDir()
	if err != nil {
		return nil, err
	}
	return bothEdits(program.Edits{Dir: dir, Version: k8s})
}
