package web

import (
	"context"
	"log/slog"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/trace"
)

// A Run is the server of "apitrace web".
type Run struct {
	Options
	// Listen is the address to listen on: host
	// and port, or only a port for 127.0.0.1.
	Listen string
	// NoOpen leaves the browser closed.
	NoOpen bool
}

// Add loads recordings from paths, and adds them to Files.
func (r *Run) Add(paths []string, load func(path string) (*trace.Recording, error)) error {
	for _, path := range paths {
		rec, err := load(path)
		if err != nil {
			return err
		}
		file, err := newFile(path, rec)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, file)
	}
	return nil
}

// Serve serves until ctx is done. It makes a new token, and passes the
// page's address with the token to announce. It opens the browser with a
// one-time code in place of the token. If the browser cannot be opened, it
// passes the reason to notice.
func (r *Run) Serve(ctx context.Context, announce func(address string), notice func(format string, args ...any)) error {
	listener, err := listen(r.Listen)
	if err != nil {
		return err
	}
	r.Token = newToken()
	announce(address(listener.Addr(), "token", r.Token))
	if !r.NoOpen {
		r.code = newCode(func() {
			notice("%v", message.Of("the address that opened the browser is valid only once, but it was used twice: open the printed address yourself"))
		})
		if err := openBrowser(address(listener.Addr(), "code", r.code.value)); err != nil {
			notice("%v", err)
		}
	}
	if r.Answers == nil {
		if cache, err := program.OpenCache(""); err == nil {
			r.Answers = cache.Answers()
		} else {
			slog.Debug("histories of scenarios are not kept", "error", err)
		}
	}
	return Serve(ctx, listener, r.Options)
}
