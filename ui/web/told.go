package web

import (
	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// told is what there is to tell of a server or a live recording, in no language yet: each reader has one.
type told struct {
	notices []message.Message
	failure error
}

func (t told) in(p message.Printer) (notices []string, failure string) {
	notices = []string{}
	for _, n := range t.notices {
		notices = append(notices, text.EscapeLines(n.Localize(p)))
	}
	if t.failure != nil {
		failure = p.Error(t.failure)
	}
	return notices, failure
}

// A serverState is a server as it is at a time.
type serverState struct {
	LiveServer
	told
}

func (s serverState) in(p message.Printer) LiveServer {
	s.Notices, s.Error = s.told.in(p)
	return s.LiveServer
}

// A liveTrace is a live recording in lists.
type liveTrace struct {
	LiveTrace
	told
}

func (t liveTrace) in(p message.Printer) LiveTrace {
	t.Notices, t.Error = t.told.in(p)
	return t.LiveTrace
}

// allIn returns what a reader of a language gets.
func allIn[T any, S interface{ in(message.Printer) T }](all []S, p message.Printer) []T {
	list := make([]T, 0, len(all))
	for _, one := range all {
		list = append(list, one.in(p))
	}
	return list
}

// printerOf speaks the language that the query asks for, of a route with paramLang.
func printerOf(r *restful.Request) message.Printer { return message.For(queryOf(r, paramLang)) }
