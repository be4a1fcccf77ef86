package web

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/google/renameio/v2"
	"golang.org/x/net/netutil"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/classroom"
)

// mostConnections is the maximum number of concurrent connections of learners.
const mostConnections = 512

// A Group is the server for the leader of a workshop. It listens on two ports:
// one for the leader's page, always on a loopback address, and one for
// learners (learnerServer).
type Group struct {
	// Listen is the address for learners: host and port, or only a port for
	// 127.0.0.1. Other machines can join if the host is a network address, or
	// 0.0.0.0 for all addresses of this machine.
	Listen string
	// Code is the code that learners join with. If it is "",
	// Serve makes a new code.
	Code string
	// Course is the folder of the course; "" means apitrace's own course.
	Course string
	// Save is the file for the export at the end; "" means no file.
	Save string
	// NoOpen leaves the browser closed.
	NoOpen bool
}

// Serve serves until ctx is done. It passes the address of the leader's page to
// announce, and all other messages for the leader to notice. If Save is set, it
// writes the export before it returns.
func (g *Group) Serve(ctx context.Context, announce func(address string), notice func(format string, args ...any), p message.Printer) error {
	format := ""
	if g.Save != "" {
		var err error
		if format, err = classroom.Format(g.Save); err != nil {
			return message.ToUsageError(err)
		}
	}
	course, err := workshop.Open(g.Course)
	if err != nil {
		return err
	}
	secret := strings.ToLower(strings.TrimSpace(g.Code))
	if secret == "" {
		secret = classroom.NewCode()
	} else if len(secret) < 8 {
		return message.UsageErrorf("the code %q is easy to guess: expected at least 8 characters", g.Code)
	}
	listener, err := listenToLearners(g.Listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	pageListener, err := listen("0")
	if err != nil {
		return err
	}
	room := classroom.New(secret, course)
	at := listener.Addr().(*net.TCPAddr)
	addresses := reachedAt(at)
	if at.IP.IsLoopback() {
		notice("%v", message.Of("only this machine can join: with --listen 0.0.0.0:4181, other machines in its network can join"))
	} else {
		notice("%v", message.Of("anybody in the network of this machine with the code can join; the data of the learners is sent without encryption"))
	}
	for _, reached := range addresses {
		notice("%v", message.Of("learners join with: apitrace workshop join %s --code %s", reached, secret))
	}
	token := newToken()
	pageAt := pageListener.Addr().(*net.TCPAddr)
	announce(address(pageAt, "token", token))
	var once *code
	if !g.NoOpen {
		once = newCode(func() {
			notice("%v", message.Of("the address that opened the browser is valid only once, but it was used twice: open the printed address yourself"))
		})
		if err := openBrowser(address(pageAt, "code", once.value)); err != nil {
			notice("%v", err)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 2)
	go func() {
		defer stop()
		ended <- serveHTTP(ctx, netutil.LimitListener(listener, mostConnections), newLearnerServer(room, at))
	}()
	guard := newGuard(token, once, pageAt, (&leaderPage{room, addresses}).handler())
	guard.command = "apitrace workshop serve"
	go func() {
		defer stop()
		ended <- serveHTTP(ctx, pageListener, guard)
	}()
	err = errors.Join(<-ended, <-ended)
	if format != "" {
		err = errors.Join(err, g.save(room, format, p))
	}
	return err
}

func (g *Group) save(room *classroom.Classroom, format string, p message.Printer) error {
	out, err := renameio.NewPendingFile(g.Save, renameio.WithStaticPermissions(0o600))
	if err != nil {
		return message.Errorf("writing %s: %w", g.Save, err)
	}
	defer out.Cleanup()
	if err := errors.Join(room.Export(out, format, p), out.CloseAtomicallyReplace()); err != nil {
		return message.Errorf("writing %s: %w", g.Save, err)
	}
	return nil
}

// listenToLearners listens on the address for learners. Unlike listen, it also
// allows network addresses.
func listenToLearners(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return listen(address)
	}
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, message.UsageErrorf("address %q: expected an address of this machine and a port, such as 0.0.0.0:4181", address)
	}
	listener, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, message.Errorf("listening on %s: %w", address, err)
	}
	return listener, nil
}

// reachedAt lists the addresses that learners can use. If the server listens on
// all addresses, these are the IPv4 addresses of this machine.
func reachedAt(at *net.TCPAddr) []string {
	if !at.IP.IsUnspecified() {
		return []string{at.String()}
	}
	var all []string
	addresses, _ := net.InterfaceAddrs() // on an error, the leader must find the address
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			all = append(all, (&net.TCPAddr{IP: n.IP, Port: at.Port}).String())
		}
	}
	if len(all) == 0 {
		all = append(all, (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: at.Port}).String())
	}
	return all
}
