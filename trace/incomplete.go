package trace

import "github.com/kubeapitrace/apitrace/internal/message"

// These texts say which parts a trace may lack, and why. Recordings hold the
// English text.
var (
	lacksDropped   = message.Of("%s made %d more calls than the probe keeps of one request; they are not shown")
	lacksGivenUp   = message.Of("the probe of %s gave up %d calls to free memory; they are not shown if they belong here")
	lacksLater     = message.Of("the recording ended after %s, while more may have been caused")
	lacksUntraced  = message.Of("the %s is not traced: what it did is not shown")
	lacksFunctions = message.Of("%d of %d spans name no function: they stand under the name of the span")
	lacksParents   = message.Of("%d spans have no parent in the file (%d name one that is missing): they hang below a call that stands for it")
)

// LacksDropped returns the text for Request.Incomplete if a program made more
// calls than its probe kept.
func LacksDropped(process string, calls int64) string {
	return lacksDropped.With(process, calls).String()
}

// LacksGivenUp returns the text for Request.Incomplete if a probe gave up traces meanwhile.
func LacksGivenUp(process string, calls int64) string {
	return lacksGivenUp.With(process, calls).String()
}

// LacksLater returns the text for Request.Incomplete if the work for the request was not
// over after a time.
func LacksLater(limit string) string { return lacksLater.With(limit).String() }

// LacksUntraced returns the text for Request.Incomplete if the request reached a
// server without a probe.
func LacksUntraced(server string) string { return lacksUntraced.With(server).String() }

// Lacks returns Incomplete as messages. A message can be translated if apitrace
// wrote its text.
func (r *Request) Lacks() []message.Message {
	lacks := make([]message.Message, len(r.Incomplete))
	for i, text := range r.Incomplete {
		lacks[i] = message.Recognize(text, lacksDropped, lacksGivenUp, lacksLater, lacksUntraced, lacksFunctions, lacksParents)
	}
	return lacks
}
