package session

import (
	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/apiserver/serverconfig"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// forScenario returns the Spec of the server that a scenario needs. The user's API server
// replaces the scenario's.
func (s Spec) forScenario(scenario *scenarios.Scenario) Spec {
	if s.Own.IsZero() {
		s.Own = scenario.Setup.AggregatedServer
	}
	s.Extra = scenario.Setup.Server
	s.ControlPlane = s.ControlPlane || scenario.Follow != nil
	switch {
	case s.tracesOwn(scenario):
		s.Extra = serverconfig.Extra{} // the flags are for the start or the end of kube-apiserver
		s.Boot = trace.NewTraceID()
	case scenario.Boots(apiserver.Name) || scenario.Stop != nil:
		s.Boot = trace.NewTraceID()
	}
	return s
}

// tracesOwn reports whether a scenario traces the start or end of the server Own.
func (s Spec) tracesOwn(scenario *scenarios.Scenario) bool {
	return !s.Own.IsZero() && tracesLife(scenario)
}

// tracesLife reports whether a scenario traces a server's start or end.
func tracesLife(scenario *scenarios.Scenario) bool {
	return scenario.Boot != nil || scenario.Stop != nil
}

// ofOwn returns a copy of a scenario that traces the start or end of the user's own
// server, which is called name. The copy has no expectations and no setup, because the
// scenario's are for another server. It has no requests during the end, because most
// servers have no flag that leaves time for them.
func ofOwn(scenario *scenarios.Scenario, name string) *scenarios.Scenario {
	own := *scenario
	own.Requests = nil
	own.Setup = scenarios.Setup{}
	if scenario.Stop != nil {
		own.Stop = &scenarios.Stop{}
	} else {
		own.Boot = &scenarios.Boot{Program: name}
	}
	return &own
}
