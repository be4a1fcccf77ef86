package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
)

// requestOptions say what to send, as whom, and what to do with the trace.
type requestOptions struct {
	method, path string
	headers      []string
	body         string
	as           string
	timeout      time.Duration
	delivery     delivery
	server       serverOptions
}

func newRequestCommand(std *streams) *cobra.Command {
	o := &requestOptions{server: serverOptions{any: true}}
	command := &cobra.Command{
		Use:   "request METHOD PATH",
		Short: "Send a request of your own and show which code it runs through",
		Long: `Send one request to the kube-apiserver, traced, and show its calls, as "apitrace run"
does for the requests of a scenario. It is sent once and as it is: nothing is made for it,
warmed up before, or cleaned up after it. So the tree also has what runs only the first time,
and with "apitrace serve" what the request changes stays there.

A body is YAML or JSON and is sent as JSON; with a Content-Type of your own it is sent
as it is. Any answer will do, also one that is an error. An answer without end, such as
that of a watch, ends with --timeout.`,
		Example: `  apitrace request GET /api/v1/namespaces/default

  # As kubectl asks for a table
  apitrace request GET /api/v1/nodes -H 'Accept: application/json;as=Table;g=meta.k8s.io;v=v1'

  # Create what is in a file
  apitrace request POST /api/v1/namespaces/default/configmaps -f configmap.yaml

  # Server-side apply
  apitrace request PATCH '/api/v1/namespaces/default/configmaps/a?fieldManager=me' \
    -H 'Content-Type: application/apply-patch+yaml' -f configmap.yaml

  # What a user without rights gets, and why
  apitrace request DELETE /api/v1/nodes/n1 --as learner --layer authorization`,
		Args: requestArguments,
		RunE: func(c *cobra.Command, args []string) error {
			o.method, o.path = strings.ToUpper(args[0]), args[1]
			if err := errors.Join(o.delivery.validate(), o.server.validate(), o.validate()); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	flags := command.Flags()
	flags.StringArrayVarP(&o.headers, "header", "H", nil, `send this header, "Name: value" (repeat for more)`)
	flags.StringVarP(&o.body, "filename", "f", "", `file with the body, "-" for standard input`)
	flags.DurationVar(&o.timeout, "timeout", 20*time.Second, "hang up after this time, and show what was until then")
	addAsFlag(command, &o.as)
	o.server.addFlags(command)
	o.server.addEtcdFlags(command)
	o.delivery.addFlags(command)
	return command
}

// users are who may ask.
var users = []string{scenarios.Admin, scenarios.Learner, scenarios.Anonymous}

func addAsFlag(command *cobra.Command, as *string) {
	command.Flags().StringVar(as, "as", scenarios.Admin, "who asks: admin (may do everything), learner (may do what RBAC objects allow it), or anonymous (shows no credentials)")
	_ = command.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(users, cobra.ShellCompDirectiveNoFileComp))
}

func validateAs(as string) error {
	if !slices.Contains(users, as) {
		return usageErrorf("--as %q: expected one of %s", as, strings.Join(users, ", "))
	}
	return nil
}

func requestArguments(_ *cobra.Command, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("expected a method and a path, such as GET /api/v1/nodes: found %q", args)
	}
	return nil
}

func (o *requestOptions) validate() error {
	if !httpguts.ValidHeaderFieldName(o.method) { // which is what RFC 9110 demands of a method
		return usageErrorf("%q is no method: expected one such as GET, POST, PUT, PATCH or DELETE", o.method)
	}
	if !strings.HasPrefix(o.path, "/") {
		return usageErrorf("%q is no path: expected one that begins with a slash, such as /api/v1/nodes", o.path)
	}
	if o.timeout <= 0 {
		return usageErrorf("--timeout %s: expected a time greater than 0, such as 5s", o.timeout)
	}
	if _, err := parseHeaders(o.headers); err != nil {
		return err
	}
	return validateAs(o.as)
}

// parseHeaders reads headers that are written as curl has them.
func parseHeaders(lines []string) (map[string]string, error) {
	headers := map[string]string{}
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, usageErrorf("%q is no header: expected one such as \"Accept: application/json\"", line)
		}
		headers[http.CanonicalHeaderKey(name)] = value
	}
	return headers, nil
}

// http makes the request.
func (o *requestOptions) http() (*scenarios.HTTP, error) {
	headers, err := parseHeaders(o.headers)
	if err != nil {
		return nil, err
	}
	h := &scenarios.HTTP{Method: o.method, Path: o.path, As: o.as, Headers: headers}
	if o.body == "" {
		return h, nil
	}
	text, err := readInput(o.body)
	if err != nil {
		return nil, fmt.Errorf("reading the body: %w", err)
	}
	if headers["Content-Type"] != "" {
		h.Body = scenarios.RawDocument(text)
		return h, nil
	}
	if h.Body, err = scenarios.ParseDocument(text); err != nil {
		return nil, fmt.Errorf("the body in %s is neither YAML nor JSON: %w; to send it as it is, give it a Content-Type with -H", o.body, err)
	}
	return h, nil
}

// readInput reads a file, or standard input for "-".
func readInput(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}

func (o *requestOptions) run(ctx context.Context, std *streams) (err error) {
	h, err := o.http()
	if err != nil {
		return err
	}
	ctx, server, stop, err := o.server.obtain(ctx, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	fetcher := session.NewFetcher(server)
	defer fetcher.Close()

	sent, err := o.send(ctx, newPlayer(server, std), h)
	if err != nil {
		return err
	}
	o.tell(std, sent)
	request, err := fetcher.Fetch(ctx, session.SentOf(sent))
	if ctx.Err() != nil {
		return errors.Join(deathOf(ctx), context.Cause(ctx))
	}
	if err != nil {
		return errors.Join(sent.Err, err)
	}
	recording := session.NewRecording(server, "request")
	recording.Requests = []trace.Request{*request}
	return errors.Join(o.delivery.deliver(ctx, std, &recording), fetcher.Verdict(o.server.check, std))
}

func (o *requestOptions) send(ctx context.Context, player *scenarios.Player, h *scenarios.HTTP) (*scenarios.Sent, error) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	return player.Send(ctx, h)
}

// tell says what the tree does not: why there is no answer, or what the server says of an error.
func (o *requestOptions) tell(std *streams, sent *scenarios.Sent) {
	switch {
	case errors.Is(sent.Err, context.DeadlineExceeded) && sent.Status != 0:
		std.notice("hung up after %s: the answer, %d, went on", o.timeout, sent.Status)
	case errors.Is(sent.Err, context.DeadlineExceeded):
		std.notice("hung up after %s: there was no answer", o.timeout)
	case sent.Err != nil:
		std.notice("the answer broke off: %v", sent.Err)
	case sent.Status >= http.StatusBadRequest:
		std.notice("the answer: %s", sent.Message())
	}
}
