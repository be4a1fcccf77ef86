package recordings

import (
	"regexp"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Info says what there is of one release, and how it was made.
type Info struct {
	// K8sVersion and EtcdVersion are those of the recorded programs, with their "v".
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion"`
	// Recorded is when the recording began.
	Recorded time.Time `json:"recorded"`
	// Apitrace is the commit of the apitrace that recorded.
	Apitrace string `json:"apitrace"`
	// Go is the toolchain that the programs were built with: "go1.26.8 linux/amd64".
	Go string `json:"go"`
	// Command is the command that made the recordings.
	Command string `json:"command"`
	// Scenarios are the recorded scenarios, sorted.
	Scenarios []string `json:"scenarios"`
	// Missing are the scenarios that could not be recorded, sorted.
	Missing []Missing `json:"missing,omitempty"`
	// Size is how many bytes all of it takes in the apitrace binary.
	Size int64 `json:"-"`
}

// A Missing is a scenario that a release could not run.
type Missing struct {
	Scenario string `json:"scenario"`
	// Reason is the recorder's sentence, in English; Why says the same in every language.
	Reason string `json:"reason"`
}

var (
	needsRelease = regexp.MustCompile(`^it needs Kubernetes (\S+) or newer$`)
	needsModule  = regexp.MustCompile(`^the module (\S+ \S+) (?:could not be had|is not available from the module proxy)$`)
)

// Why says why the scenario is missing. A reason that is not of the usual ones stays in English.
func (m Missing) Why() message.Message {
	if release := needsRelease.FindStringSubmatch(m.Reason); release != nil {
		return message.Of("it needs Kubernetes %s or newer", release[1])
	}
	if module := needsModule.FindStringSubmatch(m.Reason); module != nil {
		return message.Of("the module %s is not available from the module proxy", module[1])
	}
	return message.Of("%s", m.Reason)
}

// Has reports whether the scenario is among the recorded ones.
func (i *Info) Has(scenario string) bool { return slices.Contains(i.Scenarios, scenario) }

// Why says why a scenario is missing; nothing if nobody knows.
func (i *Info) Why(scenario string) message.Message {
	for _, m := range i.Missing {
		if m.Scenario == scenario {
			return m.Why()
		}
	}
	return message.Message{}
}
