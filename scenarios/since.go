package scenarios

import "github.com/kubeapitrace/apitrace/internal/message"

// shownFirst are, by scenario, the first functions that a scenario expects and that came with the scenario's first release.
// TestShownFirst finds them in the names of all releases, which takes too long for a command.
var shownFirst = map[string]string{
	"create-service":   "service/storage.(*REST).beginCreate",
	"policy-deny":      "admission/plugin/policy/validating.(*Plugin).Validate",
	"scale-deployment": "deployment/storage.(*scaleUpdatedObjectInfo).UpdatedObject",
}

// NeedsFirst returns the reason why the scenario needs its first release, although older ones may serve the request: the function
// that came with that release. It is empty if no such function is known.
func (s *Scenario) NeedsFirst() message.Message {
	if shown := shownFirst[s.Name]; shown != "" {
		return message.Of("the scenario shows %s, which Kubernetes has since %s", shown, s.Releases.Since)
	}
	return message.Message{}
}

// WhyMissing adds to the reason why a release has no recording of a scenario why the scenario needs its first release, if that is
// the reason and is known.
func WhyMissing(reason message.Message, name, release string) message.Message {
	scenario, err := Find(name)
	if err != nil || scenario.Releases.Has(release) {
		return reason
	}
	if first := scenario.NeedsFirst(); !first.IsZero() {
		return message.Of("%s; %s", reason, first)
	}
	return reason
}
