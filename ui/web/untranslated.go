package web

import (
	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
)

// untranslated has the notices and the failure of a server or a live
// recording. They are translated only when they are sent, because readers
// have different languages.
type untranslated struct {
	notices []message.Message
	failure error
}

func (t untranslated) in(p message.Printer) (notices []string, failure string) {
	notices = []string{}
	for _, n := range t.notices {
		notices = append(notices, text.EscapeLines(n.Localize(p)))
	}
	if t.failure != nil {
		failure = p.Error(t.failure)
	}
	return notices, failure
}

// A serverState is the state of a server, not translated yet.
type serverState struct {
	LiveServer
	untranslated
}

func (s serverState) in(p message.Printer) LiveServer {
	s.Notices, s.Error = s.untranslated.in(p)
	return s.LiveServer
}

// A liveTrace is the entry of a live recording in lists, not translated yet.
type liveTrace struct {
	LiveTrace
	untranslated
}

func (t liveTrace) in(p message.Printer) LiveTrace {
	t.Notices, t.Error = t.untranslated.in(p)
	return t.LiveTrace
}

// allIn translates each element into the language of p.
func allIn[T any, S interface{ in(message.Printer) T }](all []S, p message.Printer) []T {
	list := make([]T, 0, len(all))
	for _, one := range all {
		list = append(list, one.in(p))
	}
	return list
}

// printerOf returns the printer for the language in the
// query of a request. The route must have paramLang.
func printerOf(r *restful.Request) message.Printer { return message.For(queryOf(r, paramLang)) }
