package scenarios

import "github.com/kubeapitrace/apitrace/internal/message"

// shownFirst maps a scenario's name to the first of its expected functions that is new in
// the scenario's first release. TestShownFirst compares the map with the functions of all
// releases. Loading them takes too long for a command.
var shownFirst = map[string]string{
	"create-service":      "service/storage.(*REST).beginCreate",
	"list-future-version": "storage.NewTooLargeResourceVersionError",
	"policy-deny":         "admission/plugin/policy/validating.(*Plugin).Validate",
	"policy-parameters":   "admission/plugin/policy/validating.(*dispatcher).Dispatch",
	"scale-deployment":    "deployment/storage.(*scaleUpdatedObjectInfo).UpdatedObject",
}

// answeredSince maps a scenario's name to the reason why its first release answers
// differently than the release before.
var answeredSince = map[string]message.Message{
	"aggregated-api":  wardle,
	"aggregated-deny": wardle,
	"boot-sample":     wardle,
	"webhook-deny":    reviews,
	"webhook-mutate":  reviews,
}

var (
	// See pkg/apis/wardle/register.go of k8s.io/sample-apiserver v0.16.15 and v0.17.17.
	wardle = message.Of("the sample server calls its API group wardle.example.com since v1.17, and called it wardle.k8s.io before")
	// See AcceptedAdmissionReviewVersions in pkg/apis/admissionregistration/validation of
	// Kubernetes v1.16.15 and v1.17.17.
	reviews = message.Of("kube-apiserver accepts webhooks that only understand version v1 of AdmissionReview since v1.17")
)

// NeedsFirst returns why the scenario needs its first release, although older releases
// may serve the request: the scenario shows a function that is new in that release, or
// the answer differs since then. The message is zero if no reason is known.
func (s *Scenario) NeedsFirst() message.Message {
	if shown := shownFirst[s.Name]; shown != "" {
		return message.Of("the scenario shows %s, which Kubernetes has since %s", shown, s.Releases.Since)
	}
	return answeredSince[s.Name]
}

// WhyMissing extends the reason why a release has no recording of a scenario. If the
// scenario cannot run on the release, it adds the reason of NeedsFirst, if any. It
// returns reason unchanged for an unknown scenario.
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
