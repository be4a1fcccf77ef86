// Package group is the learner's side of a workshop that somebody leads: it joins the leader's server and reports
// progress to it in the background. Package classroom is the leader's side.
//
// It sends the name that the learner chose, votes in polls, and for each exercise whether it was started, tried, passed or
// reset, whether a hint or the solution was taken, and the wrong answers. Nothing from before joining is sent.
package group

import "github.com/kubeapitrace/apitrace/workshop"

// The paths of the leader's server. All take POST with a body of JSON.
const (
	JoinPath   = "/group/join"
	ReportPath = "/group/report"
	VotePath   = "/group/vote"
	LeavePath  = "/group/leave"
)

// Limits that both sides know.
const (
	// MostName is the maximum length of a name, and MostAnswer that of an answer, in characters. Longer answers are cut.
	MostName, MostAnswer = 40, 200
	// MostEvents is the maximum number of events in one report.
	MostEvents = 50
)

// A JoinRequest asks to become a member of the group.
type JoinRequest struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// A Joined is the answer to a JoinRequest.
type Joined struct {
	// Token stands for the learner in later requests, as "Authorization: Bearer TOKEN".
	Token string `json:"token"`
	// Name is the learner's: that of the request, with a number if somebody else has it.
	Name string `json:"name"`
}

// A Report lists what a learner did, in that order.
type Report struct {
	Events []Event `json:"events"`
}

// An Event is something that the learner did.
type Event struct {
	// Number is that of the learner's own list: the server counts an event once, however often it comes.
	Number   int             `json:"n"`
	Did      workshop.Action `json:"did"`
	Exercise string          `json:"exercise"`
	// Answer is the text of a wrong answer.
	Answer string `json:"answer,omitempty"`
}

// A Vote is an opinion in the poll that is open.
type Vote struct {
	True bool `json:"true"`
}

// A Voted is the answer to a vote.
type Voted struct {
	// Exercise is the one that the poll is about.
	Exercise string `json:"exercise"`
}

// A Refusal is the answer to a request that is not accepted.
type Refusal struct {
	Message string `json:"message"`
	Action  string `json:"action"`
}
