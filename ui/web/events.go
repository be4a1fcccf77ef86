package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/emicklei/go-restful/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// The names of events.
const (
	// eventServers has the state of all servers. It is
	// sent to each new listener, and after each change.
	eventServers = "servers"
	// eventTrace has a new live recording.
	eventTrace = "trace"
	// eventCheck has the progress of checking an answer.
	eventCheck = "check"
	// eventNotice has a message for the user.
	eventNotice = "notice"
)

// An event is a message to all listeners.
type event struct {
	name string
	// in returns the event's data for listeners of a language.
	in func(message.Printer) any
}

const (
	// mostWaiting is the number of events that may wait for a slow
	// listener. One more event disconnects the listener. It can connect
	// again, and gets the state first.
	mostWaiting = 500
	// mostListeners limits the number of concurrent listeners.
	mostListeners = 16
	// pingPause is the maximum silence of a stream. After it,
	// a ping is sent, so that a lost listener is noticed.
	pingPause = 5 * time.Second
)

// sendServers sends the state of the servers to all listeners.
// The caller must hold l.mu.
func (l *live) sendServers() { l.sendLocked(l.serversEvent()) }

func (l *live) serversEvent() event {
	copied := l.copied()
	return event{eventServers, func(p message.Printer) any { return allIn(copied, p) }}
}

// send sends an event to all listeners. It disconnects a
// listener that is too slow.
func (l *live) send(e event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sendLocked(e)
}

func (l *live) sendLocked(e event) {
	for listener := range l.listeners {
		select {
		case listener <- e:
		default:
			delete(l.listeners, listener)
			close(listener)
			l.resetGrace()
		}
	}
}

// listen adds a listener. The channel is closed if the listener is too slow.
func (l *live) listen() (chan event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.listeners) >= mostListeners {
		return nil, newError(http.StatusTooManyRequests, message.Errorf("%d pages are connected already", mostListeners), message.Of("close a page of apitrace"))
	}
	listener := make(chan event, mostWaiting)
	l.listeners[listener] = true
	l.resetGrace()
	listener <- l.serversEvent()
	return listener, nil
}

func (l *live) leave(listener chan event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listeners[listener] {
		delete(l.listeners, listener)
		l.resetGrace()
	}
}

// streamEvents answers with server-sent events until the client leaves.
func (a *api) streamEvents(request *restful.Request, response *restful.Response) error {
	listener, err := a.live.listen()
	if err != nil {
		return err
	}
	defer a.live.leave(listener)
	clearReadDeadline(response)
	response.Header().Set("Content-Type", eventStream)
	response.WriteHeader(http.StatusOK)
	p := printerOf(request)
	ping := time.NewTicker(pingPause)
	defer ping.Stop()
	for {
		var part []byte
		select {
		case <-request.Request.Context().Done():
			return nil
		case <-ping.C:
			part = []byte(": ping\n\n")
		case e, ok := <-listener:
			if !ok {
				return nil
			}
			data, err := json.Marshal(e.in(p))
			if err != nil {
				return nil // cannot happen: all data of events can be encoded
			}
			part = fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e.name, data)
		}
		if _, err := response.Write(part); err != nil {
			return nil // the client left
		}
		response.Flush()
	}
}

// clearReadDeadline removes the server's read timeout for a request. Otherwise,
// this timeout would also end a long wait for the answer.
func clearReadDeadline(response *restful.Response) {
	_ = http.NewResponseController(response.ResponseWriter).SetReadDeadline(time.Time{}) // on an error, long answers break off
}
