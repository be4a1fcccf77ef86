package output

import (
	"context"
	"os"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/render"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/ui/terminal"
	"github.com/kubeapitrace/apitrace/view"
)

// Explore shows a recording full screen until the user quits.
func (o *Options) Explore(ctx context.Context, std *console.Streams, recording *trace.Recording) error {
	options, err := o.fullScreen(std)
	if err != nil {
		return err
	}
	model, err := terminal.New(&terminal.Local{}, recording, options)
	if err != nil {
		return err
	}
	return terminal.Run(ctx, model, std.In, std.Raw())
}

// RequestList returns the full-screen list of requests. The user can open each request.
func (o *Options) RequestList(std *console.Streams) (session.RequestList, error) {
	options, err := o.fullScreen(std)
	if err != nil {
		return session.RequestList{}, err
	}
	feed := terminal.NewFeed()
	return session.RequestList{Add: feed.Add, Wait: func(ctx context.Context, c *session.Clients) error {
		err := terminal.Run(ctx, terminal.NewRequests(&terminal.Local{}, feed, c, options), std.In, std.Raw())
		if ctx.Err() != nil {
			return nil // the caller reports the reason
		}
		return err
	}}, nil
}

// fullScreen returns the options of a full-screen view, or an error without a terminal. The
// view shows one request at a time.
func (o *Options) fullScreen(std *console.Streams) (terminal.Options, error) {
	if os.Getenv("TERM") == "dumb" {
		return terminal.Options{}, message.NewError("the full-screen view needs a terminal that can move the cursor, and TERM is \"dumb\"; \"apitrace show\" prints the same")
	}
	if std.Width == 0 {
		return terminal.Options{}, message.NewError("the full-screen view needs a terminal, and standard output is not a terminal; \"apitrace show\" prints the same")
	}
	lang, err := Language(o.Lang)
	if err != nil {
		return terminal.Options{}, err
	}
	colour, err := render.UseColour(o.Colour, true, os.Getenv)
	return terminal.Options{Lang: lang, Colour: colour, ASCII: o.ASCII || asciiLocale(os.Getenv), Steps: view.StepsPerRequest(1)}, err
}
