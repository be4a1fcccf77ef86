package main

import (
	"context"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// A learnersServer is the server of the exercises that need one: it is found or built, and started.
type learnersServer struct{ std *streams }

func (s *learnersServer) Replay(ctx context.Context, k8s string, scenario *scenarios.Scenario, edits string) (*trace.Recording, []string, error) {
	server := session.ServerOptions{Spec: session.Spec{Version: k8s}, Edits: session.EditsIn(edits)}
	return session.RunTraced(ctx, server, scenario, s.std)
}

func (s *learnersServer) EditsDir() (string, error) { return session.Edits{}.Dir() }

func (s *learnersServer) Edits(k8s string) ([]program.Edit, error) {
	dir, err := s.EditsDir()
	if err != nil {
		return nil, err
	}
	return apiserver.ListEdits(program.Edits{Dir: dir, Version: k8s})
}
