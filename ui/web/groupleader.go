package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/ui/web/page"
	"github.com/kubeapitrace/apitrace/workshop/classroom"
)

// A leaderPage serves the leader's page and its data. It must be behind a guard
// that admits only the leader's browser.
type leaderPage struct {
	room      *classroom.Classroom
	addresses []string
}

// groupFiles has the files of the leader's page, by path.
var groupFiles = map[string]string{"/": "group.html", "/group.js": "group.js", "/group.css": "group.css"}

func (l *leaderPage) handler() http.Handler {
	mux := http.NewServeMux()
	answered := func(do func(*http.Request) (any, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			answer, err := do(r)
			if err != nil {
				refuse(w, printerFor(r), errorOf(err))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			write(w, answer)
		}
	}
	mux.HandleFunc("GET /api/group", answered(func(*http.Request) (any, error) { return l.room.State(l.addresses) }))
	mux.HandleFunc("GET /api/group/events", l.stream)
	mux.HandleFunc("GET /api/group/export/{format}", l.export)
	mux.HandleFunc("POST /api/group/question", answered(l.ask))
	mux.HandleFunc("POST /api/group/poll/close", answered(func(*http.Request) (any, error) {
		l.room.ClosePoll()
		return struct{}{}, nil
	}))
	mux.HandleFunc("POST /api/group/remove", answered(l.remove))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		file := groupFiles[r.URL.Path]
		if file == "" || !reads(r) {
			refuse(w, printerFor(r), newError(http.StatusNotFound, message.Errorf("there is nothing at %q", r.URL.Path), message.Of("open the address that apitrace printed")))
			return
		}
		http.ServeFileFS(w, r, page.Files(), file)
	})
	return mux
}

func (l *leaderPage) ask(r *http.Request) (any, error) {
	order, err := bodyAs[struct {
		Exercise string `json:"exercise"`
		Poll     bool   `json:"poll"`
	}](r)
	if err != nil {
		return nil, err
	}
	return struct{}{}, workshopError(l.room.Show(order.Exercise, order.Poll))
}

func (l *leaderPage) remove(r *http.Request) (any, error) {
	order, err := bodyAs[struct {
		ID int `json:"id"`
	}](r)
	if err != nil {
		return nil, err
	}
	l.room.Remove(order.ID)
	return struct{}{}, nil
}

func (l *leaderPage) export(w http.ResponseWriter, r *http.Request) {
	format := r.PathValue("format")
	media := classroom.Formats[format]
	if media == "" {
		refuse(w, printerFor(r), newError(http.StatusNotFound, message.Errorf("unknown export format %q", format), message.Of("use csv, json or md")))
		return
	}
	p := message.For(r.URL.Query().Get("lang"))
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", "attachment; filename=workshop."+format)
	_ = l.room.Export(w, format, p) // an error means that the client left
}

// statePause is the minimum time between two states. It avoids a flood of states
// when all learners answer at once.
const statePause = 150 * time.Millisecond

// stream sends the state of the classroom as server-sent events. It sends the
// state at once, and after each change.
func (l *leaderPage) stream(w http.ResponseWriter, r *http.Request) {
	changes, leave, err := l.room.Listen()
	if err != nil {
		refuse(w, printerFor(r), errorOf(err))
		return
	}
	defer leave()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // on an error, the page connects again
	w.Header().Set("Content-Type", eventStream)
	ping := time.NewTicker(pingPause)
	defer ping.Stop()
	for {
		state, err := l.room.State(l.addresses)
		if err != nil {
			return
		}
		data, err := json.Marshal(state)
		if err != nil {
			return // cannot happen: the state can be encoded
		}
		if _, err := fmt.Fprintf(w, "event: state\ndata: %s\n\n", data); err != nil || control.Flush() != nil {
			return // the page is closed
		}
		for waiting := true; waiting; {
			select {
			case <-r.Context().Done():
				return
			case <-ping.C:
				if _, err := w.Write([]byte(": ping\n\n")); err != nil || control.Flush() != nil {
					return
				}
			case <-changes:
				waiting = false
			}
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(statePause):
		}
	}
}
