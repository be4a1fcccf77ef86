package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop/classroom"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

// Limits of the learnerServer. Other machines in the network may reach
// it, too, so one machine must not be able to overload it.
const (
	// mostReport is the maximum size in bytes of a request's body. It has
	// room for a report of 50 events (group.MostEvents), each with an
	// answer of 200 characters (group.MostAnswer).
	mostReport = 64 << 10
	// One machine may send a burst of atOnce requests. After
	// the burst, it may send eachSecond requests per second.
	eachSecond, atOnce = 20, 100
	// guesses is the number of wrong codes that one machine may send in a
	// burst. It gets one more guess each second. A machine without a guess
	// cannot join: its codes are not checked.
	guesses = 10
	// mostMachines is the maximum number of machines with limits in memory.
	mostMachines = 2000
)

// A learnerServer is the server that learners join through. Only
// the apitrace command may use it: it refuses requests from browsers.
type learnerServer struct {
	room *classroom.Classroom
	port string

	mu       sync.Mutex
	machines map[string]*machineLimits
}

// machineLimits has the limits of one machine.
// last is the time of its last request.
type machineLimits struct {
	requests, guesses *rate.Limiter
	last              time.Time
	// joining is held while a code is checked, so that requests
	// that arrive at the same time cannot share one guess.
	joining sync.Mutex
}

func newLearnerServer(room *classroom.Classroom, at *net.TCPAddr) *learnerServer {
	_, port, _ := net.SplitHostPort(at.String()) // cannot fail for a TCPAddr
	return &learnerServer{room: room, port: port, machines: map[string]*machineLimits{}}
}

// ServeHTTP calls admit before it reads the body. It reads at most mostReport bytes.
func (d *learnerServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	limits := d.limits(r)
	var answer any
	err := d.admit(r, limits)
	if err == nil {
		r.Body = http.MaxBytesReader(w, r.Body, mostReport)
		answer, err = d.answer(r, limits)
	}
	if err != nil {
		refuse(w, printerFor(r), errorOf(err))
		return
	}
	h.Set("Content-Type", "application/json")
	write(w, answer)
}

func wrongCode(err error) bool {
	refused := new(classroom.Error)
	return errors.As(err, &refused) && refused.Reason == classroom.WrongCode
}

var errTooFast = newError(http.StatusTooManyRequests, message.NewError("too many requests come from your machine"), message.Of("wait a moment"))

// admit refuses floods, foreign host names, requests from browsers, methods
// other than POST, bodies that are not JSON, and bodies that are too large
// by their Content-Length.
func (d *learnerServer) admit(r *http.Request, limits *machineLimits) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case !limits.requests.Allow():
		return errTooFast
	case !d.isHere(r):
		return newError(http.StatusForbidden, message.Errorf("unknown host name %q", r.Host), message.Of("use the address on the leader's page"))
	case r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "":
		return newError(http.StatusForbidden, message.NewError("a browser sent this request"), message.Of("join with \"apitrace workshop join\""))
	case r.Method != http.MethodPost:
		return newError(http.StatusMethodNotAllowed, message.Errorf("the method %s is not accepted, only POST", r.Method), message.Of("join with \"apitrace workshop join\""))
	case kind != "application/json":
		return newError(http.StatusUnsupportedMediaType, message.Errorf("the Content-Type is %q", kind), message.Of("expected application/json"))
	case r.ContentLength > mostReport:
		return newError(http.StatusRequestEntityTooLarge, message.Errorf("the body has %d bytes: at most %d are accepted", r.ContentLength, mostReport), message.Of("send a smaller one"))
	}
	return nil
}

// isHere reports whether the Host header names this server: its port, and the
// address where the request arrived. If that is a loopback address, the host
// may be localhost. A foreign host name that points to this machine is refused.
func (d *learnerServer) isHere(r *http.Request) bool {
	host, port, err := net.SplitHostPort(r.Host)
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if err != nil || !ok || port != d.port {
		return false
	}
	return host == "localhost" && at.IP.IsLoopback() || at.IP.Equal(net.ParseIP(host))
}

// limits returns the limits of the machine that sent a request.
func (d *learnerServer) limits(r *http.Request) *machineLimits {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.machines[host] == nil {
		if len(d.machines) >= mostMachines {
			d.forget(now)
		}
		d.machines[host] = &machineLimits{requests: rate.NewLimiter(eachSecond, atOnce), guesses: rate.NewLimiter(1, guesses)}
	}
	d.machines[host].last = now
	return d.machines[host]
}

// forget drops the machines that have sent nothing for a minute. They may send
// full bursts again by then, so nothing is lost. If there are still too many
// machines, it drops all.
func (d *learnerServer) forget(now time.Time) {
	for host, m := range d.machines {
		if now.Sub(m.last) > time.Minute {
			delete(d.machines, host)
		}
	}
	if len(d.machines) >= mostMachines {
		clear(d.machines)
	}
}

// answer serves an admitted request.
func (d *learnerServer) answer(r *http.Request, limits *machineLimits) (any, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch r.URL.Path {
	case group.JoinPath:
		request, err := bodyAs[group.JoinRequest](r)
		if err != nil {
			return nil, err
		}
		return d.join(request, limits)
	case group.ReportPath:
		report, err := bodyAs[group.Report](r)
		if err != nil {
			return nil, err
		}
		return struct{}{}, d.room.Report(token, report)
	case group.VotePath:
		vote, err := bodyAs[group.Vote](r)
		if err != nil {
			return nil, err
		}
		return d.room.Vote(token, vote)
	case group.LeavePath:
		return struct{}{}, d.room.Leave(token)
	}
	return nil, newError(http.StatusNotFound, message.Errorf("there is nothing at %q", r.URL.Path), message.Of("join with \"apitrace workshop join\""))
}

// join adds a learner to the group. It does not check the code if
// the machine has no guess left. Only a wrong code uses up a guess.
func (d *learnerServer) join(request group.JoinRequest, limits *machineLimits) (*group.Joined, error) {
	limits.joining.Lock()
	defer limits.joining.Unlock()
	if limits.guesses.Tokens() < 1 {
		return nil, errTooFast
	}
	joined, err := d.room.Join(request)
	if wrongCode(err) {
		limits.guesses.Allow()
	}
	return joined, err
}

// bodyAs reads a body that is one JSON object. It refuses unknown fields.
func bodyAs[T any](r *http.Request) (value T, err error) {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return value, badRequest(message.Errorf("reading the body: %w", err), message.Of("expected one object of JSON"))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return value, badRequest(message.NewError("unexpected data after the JSON object"), message.Of("expected one object of JSON"))
	}
	return value, nil
}
