package recordings

import (
	"regexp"
	"slices"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// An Info describes the recordings of one release, and how they were made.
type Info struct {
	// K8sVersion and EtcdVersion are the versions of the recorded programs, with
	// their "v".
	K8sVersion  string `json:"k8sVersion"`
	EtcdVersion string `json:"etcdVersion"`
	// Recorded is when the recording began.
	Recorded time.Time `json:"recorded"`
	// Apitrace is the commit of the apitrace that made the recordings.
	Apitrace string `json:"apitrace"`
	// Go is the toolchain that built the programs, such as "go1.26.8 linux/amd64".
	Go string `json:"go"`
	// Command is the command that made the recordings.
	Command string `json:"command"`
	// Scenarios are the recorded scenarios, sorted.
	Scenarios []string `json:"scenarios"`
	// Missing are the scenarios that could not be recorded, sorted.
	Missing []Missing `json:"missing,omitempty"`
	// Size is the size of the recordings in the apitrace binary in bytes.
	Size int64 `json:"-"`
}

// A Missing is a scenario that a release could not run.
type Missing struct {
	Scenario string `json:"scenario"`
	// Reason is the recorder's sentence, in English. Why returns it for translation.
	Reason string `json:"reason"`
}

var (
	needsRelease = regexp.MustCompile(`^it needs Kubernetes (\S+) or newer$`)
	needsModule  = regexp.MustCompile(`^the module (\S+ \S+) (?:could not be had|is not available from the module proxy)$`)
	endedEarly   = regexp.MustCompile(`: asking the probe of (\S+) for the calls of .+: reading the probe's answer: EOF$`)
)

var cannotFollow = message.Of("apitrace cannot follow requests in the control plane of this release")

// CannotFollow is the Missing.Reason of a scenario that follows its requests in the control
// plane, in a release where that is not possible.
var CannotFollow = cannotFollow.String()

// Why returns why the scenario is missing. An unusual reason stays in English.
func (m Missing) Why() message.Message {
	if release := needsRelease.FindStringSubmatch(m.Reason); release != nil {
		return message.Of("it needs Kubernetes %s or newer", release[1])
	}
	if module := needsModule.FindStringSubmatch(m.Reason); module != nil {
		return message.Of("the module %s is not available from the module proxy", module[1])
	}
	if program := endedEarly.FindStringSubmatch(m.Reason); program != nil {
		return message.Of("%s ended before the recorder had fetched its calls", program[1])
	}
	if m.Reason == CannotFollow {
		return cannotFollow
	}
	return message.Of("%s", m.Reason)
}

// Has reports whether the scenario is recorded.
func (i *Info) Has(scenario string) bool { return slices.Contains(i.Scenarios, scenario) }

// Why returns the reason why a scenario is missing. It is empty if the reason is
// not known.
func (i *Info) Why(scenario string) message.Message {
	for _, m := range i.Missing {
		if m.Scenario == scenario {
			return m.Why()
		}
	}
	return message.Message{}
}

// noModule reports whether a scenario is missing because a module is not available.
func (i *Info) noModule(scenario string) bool {
	return slices.ContainsFunc(i.Missing, func(m Missing) bool { return m.Scenario == scenario && needsModule.MatchString(m.Reason) })
}
