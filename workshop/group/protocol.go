// Package group is the learner's side of a workshop with a leader: it joins the leader's
// server and reports progress in the background. Package classroom is the leader's side.
//
// It sends the name that the learner chose, and votes in polls. For each exercise, it
// sends whether it was started, tried, passed or reset, whether the learner took a hint
// or the solution, and the wrong answers. It sends nothing from before joining.
package group

import "github.com/kubeapitrace/apitrace/workshop"

// The paths of the leader's server. All accept POST with a JSON body.
const (
	JoinPath   = "/group/join"
	ReportPath = "/group/report"
	VotePath   = "/group/vote"
	LeavePath  = "/group/leave"
)

// Limits that both sides know.
const (
	// MostName is the maximum length of a name, MostAnswer of an answer, in characters.
	// Longer names are refused, longer answers are cut.
	MostName, MostAnswer = 40, 200
	// MostEvents is the maximum number of events in a report.
	MostEvents = 50
)

// A JoinRequest asks to join the group.
type JoinRequest struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// A Joined is the response to a JoinRequest.
type Joined struct {
	// Token identifies the learner later, as "Authorization: Bearer TOKEN".
	Token string `json:"token"`
	// Name is the name in the request, with a number if another learner has it.
	Name string `json:"name"`
}

// A Report lists events of a learner, in order.
type Report struct {
	Events []Event `json:"events"`
}

// An Event is something that the learner did.
type Event struct {
	// Number is the event's number in the learner's own list, with Membership.Lost added.
	// The server counts an event once, however often it comes.
	Number   int             `json:"n"`
	Did      workshop.Action `json:"did"`
	Exercise string          `json:"exercise"`
	// Answer is the text of a wrong answer.
	Answer string `json:"answer,omitempty"`
}

// A Vote is a vote in the open poll.
type Vote struct {
	True bool `json:"true"`
}

// A Voted is the response to a Vote.
type Voted struct {
	// Exercise is the exercise of the poll.
	Exercise string `json:"exercise"`
}

// A Refusal is the response to a refused request.
type Refusal struct {
	Message string `json:"message"`
	Action  string `json:"action"`
}
