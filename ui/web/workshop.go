package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/classroom"
	"github.com/kubeapitrace/apitrace/workshop/learner"
)

// An ExerciseAction is the body of a request that reports what the learner does.
type ExerciseAction struct {
	Did string `json:"did" description:"What the learner does." enum:"started|hinted|revealed|reset"`
}

// An ExerciseAnswer is an answer to an exercise: a text,
// or a request if the exercise asks for one. It is empty
// if the exercise asks for a change of the server.
type ExerciseAnswer struct {
	Text    string        `json:"text,omitempty" description:"The answer, as on the command line."`
	Request *RequestOrder `json:"request,omitempty" description:"The request that is the answer; its timeout does not count."`
}

// An ExerciseReply is the judgement of an answer.
type ExerciseReply struct {
	learner.Reply
	Trace    string        `json:"trace" description:"Id of the live recording that the answer was judged by; empty if no server was used."`
	Exercise learner.Sheet `json:"exercise" description:"The exercise as it is now."`
}

// A Lesson is a page to read.
type Lesson struct {
	Name string `json:"name" description:"Name of the lesson."`
	Text string `json:"text" description:"The lesson, as HTML without scripts."`
}

// learner opens the workshop for a single request, because another apitrace
// process may change the progress between requests.
func (a *api) learner(r *restful.Request) (*learner.Learner, *gatherer, error) {
	to := &gatherer{}
	l, err := openWorkshop(r, to)
	return l, to, err
}

func openWorkshop(r *restful.Request, to session.Reporter) (*learner.Learner, error) {
	l, err := learner.Open(r.Request.Context(), learner.Options{Lang: queryOf(r, paramLang), K8s: queryOf(r, paramK8s), Reporter: to})
	return l, workshopError(err)
}

// workshopError returns an error of the workshop
// with its HTTP status. It returns nil for nil.
func workshopError(err error) error {
	switch {
	case err == nil, errors.As(err, new(*classroom.Error)):
		return err
	case errors.As(err, new(*workshop.UnknownError)):
		return newError(http.StatusNotFound, err, message.Of("GET %s lists the exercises", Base+"/workshop"))
	case errors.As(err, new(*message.UsageError)):
		return badRequest(err, message.Of("give another answer"))
	case errors.Is(err, context.Canceled):
		return gone(message.NewError("the request was cancelled"))
	}
	return failed(err)
}

func (a *api) getWorkshop(r *restful.Request) (any, error) {
	l, to, err := a.learner(r)
	if err != nil {
		return nil, err
	}
	board, err := l.Board()
	if err != nil {
		return nil, err
	}
	board.Notices = to.in(printerOf(r))
	return board, nil
}

func (a *api) getExercise(r *restful.Request) (any, error) {
	l, to, err := a.learner(r)
	if err != nil {
		return nil, err
	}
	return sheet(l, to, r)
}

func sheet(l *learner.Learner, to *gatherer, r *restful.Request) (*learner.Sheet, error) {
	s, err := l.Sheet(r.PathParameter("exercise"))
	if err != nil {
		return nil, workshopError(err)
	}
	s.Notices = to.in(printerOf(r))
	return s, nil
}

// reportable lists the actions that a client may report. The other
// actions, passed and tried, are set when an answer is judged.
var reportable = []workshop.Action{workshop.Started, workshop.Hinted, workshop.Revealed, workshop.Reset}

func (a *api) doExercise(r *restful.Request) (any, error) {
	action, err := bodyOf[ExerciseAction](r)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(reportable, workshop.Action(action.Did)) {
		return nil, badRequest(message.Errorf("did is %q", action.Did), message.Of("expected started, hinted, revealed or reset"))
	}
	l, to, err := a.learner(r)
	if err != nil {
		return nil, err
	}
	if err := l.Do(r.Request.Context(), r.PathParameter("exercise"), workshop.Action(action.Did)); err != nil {
		return nil, workshopError(err)
	}
	return sheet(l, to, r)
}

func (a *api) answerExercise(r *restful.Request) (any, error) {
	answer, err := bodyOf[ExerciseAnswer](r)
	if err != nil {
		return nil, err
	}
	var request *scenarios.TypedRequest
	if o := answer.Request; o != nil {
		if request, err = o.typed(scenarios.Learner); err != nil {
			return nil, err
		}
	}
	exercise := r.PathParameter("exercise")
	to := &checker{live: a.live, exercise: exercise}
	l, err := openWorkshop(r, to)
	if err != nil {
		return nil, err
	}
	reply, err := l.Answer(r.Request.Context(), exercise, strings.TrimSpace(answer.Text), request)
	if err != nil {
		return nil, workshopError(err)
	}
	reply.Notices = to.in(printerOf(r))
	out := &ExerciseReply{Reply: *reply}
	if reply.Recording != nil {
		kept, err := a.live.keep(LiveTrace{Kind: kindReplay, Title: reply.Recording.Scenario}, untranslated{notices: to.all()}, reply.Recording)
		if err != nil {
			return nil, err
		}
		out.Trace = kept.ID
	}
	now, err := sheet(l, &gatherer{}, r)
	if err != nil {
		return nil, err
	}
	out.Exercise = *now
	return out, nil
}

func (a *api) getLesson(r *restful.Request) (any, error) {
	name := r.PathParameter("lesson")
	text, err := learner.LessonHTML(name, queryOf(r, paramLang))
	if err != nil {
		return nil, notFound(err, message.Of("GET %s names the lessons of its chapters", Base+"/workshop"))
	}
	if text, err = linkFunctions(text); err != nil {
		return nil, err
	}
	return Lesson{name, linkTranscripts(text)}, nil
}
