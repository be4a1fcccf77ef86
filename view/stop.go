package view

import (
	"github.com/kubeapitrace/apitrace/internal/message"
)

// tellStop adds the sentences about the end of a program.
func (t *sentenceFinder) tellStop() {
	s := &startTeller{sentenceFinder: t, process: t.tree.Call(0).Process}
	s.first("signal", 70, "(*namedChannelWrapper).Signal", nil, message.Of("a step of the shutdown is signalled, which wakes the goroutines that wait for it"))
	s.first("hooks", 80, "(*GenericAPIServer).RunPreShutdownHooks", nil, message.Of("the pre-shutdown hooks run"))
	// The listener's goroutine begins with the server and returns when the
	// listener is closed. The sentence gets the time of the return.
	if i := s.find(0, s.tree.Len(), "/server.RunServer.func2", nil); i >= 0 && !s.tree.Call(i).Unfinished {
		s.add("listener", 90, i, i, message.Of("the server stops listening; connections that are open may go on"))
		s.found[len(s.found)-1].ns = s.tree.Call(i).StartNs + s.tree.Call(i).DurationNs
	}
}
