package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/routes"
)

// bootScenario is the scenario whose trace shows the routes being built.
const bootScenario = "boot"

// routesOptions say which routes to list, and how.
type routesOptions struct {
	server   serverFlags
	live     bool
	trace    string
	resource string
	method   string
	format   string
}

func newRoutesCommand(std *streams) *cobra.Command {
	o := &routesOptions{}
	command := &cobra.Command{
		Use:   "routes",
		Short: "List the routes of kube-apiserver and what stands behind each",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := errors.Join(o.server.validate(), o.validate(c)); err != nil {
				return err
			}
			return o.run(c.Context(), std)
		},
	}
	o.server.addVersion(command)
	flags := command.Flags()
	flags.BoolVar(&o.live, "live", false, "start a server now and trace that, instead of reading the recording")
	flags.StringVar(&o.trace, "trace", "", "read this saved trace of \"apitrace run boot\" instead")
	flags.StringVar(&o.resource, "resource", "", "only the routes of this resource: pods, deployments.apps, pods/status")
	flags.StringVar(&o.method, "method", "", "only this HTTP method")
	flags.StringVarP(&o.format, "output", "o", "table", "what to print: table, wide or json")
	_ = command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "wide", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return command
}

func (o *routesOptions) validate(command *cobra.Command) error {
	if !slices.Contains([]string{"table", "wide", "json"}, o.format) {
		return usageErrorf("unknown output %q: expected table, wide or json", o.format)
	}
	if o.trace != "" && (o.live || command.Flags().Changed("k8s")) {
		return usageErrorf("--trace %s is of one version and one moment: leave --k8s and --live out", o.trace)
	}
	return nil
}

func (o *routesOptions) run(ctx context.Context, std *streams) error {
	recording, err := o.load(ctx, std)
	if err != nil {
		return err
	}
	all, err := routes.Of(&recording.Requests[0])
	if err != nil {
		return err
	}
	wanted := slices.DeleteFunc(all, func(r routes.Route) bool { return !o.wants(r) })
	if len(wanted) == 0 {
		return fmt.Errorf("no route of Kubernetes %s is of resource %q and method %q: \"apitrace routes\" lists all", recording.K8sVersion, o.resource, o.method)
	}
	return o.write(std, wanted)
}

func (o *routesOptions) load(ctx context.Context, std *streams) (*trace.Recording, error) {
	switch {
	case o.trace != "":
		return std.load(o.trace)
	case o.live:
		return o.record(ctx, std)
	}
	recording, err := loadRecording(o.server.Version, bootScenario)
	if err != nil {
		return nil, fmt.Errorf("%w; or add --live", err)
	}
	std.notice("from a recording of Kubernetes %s, made on %s; --live starts a server now", recording.K8sVersion, recording.Recorded.Format(time.DateOnly))
	return recording, nil
}

// record starts a server and traces that.
func (o *routesOptions) record(ctx context.Context, std *streams) (*trace.Recording, error) {
	scenario, err := scenarios.Find(bootScenario)
	if err != nil {
		return nil, err
	}
	recording, _, err := session.RunTraced(ctx, o.server.ServerOptions, scenario, std)
	return recording, err
}

// wants tells whether a route passes the filters. A resource may be given with its group.
func (o *routesOptions) wants(r routes.Route) bool {
	if o.method != "" && !strings.EqualFold(o.method, r.Method) {
		return false
	}
	if o.resource == "" {
		return true
	}
	resource, subresource, _ := strings.Cut(o.resource, "/")
	name, group, grouped := strings.Cut(resource, ".")
	ofRoute, ofSub, _ := strings.Cut(r.Resource, "/")
	groupOfRoute, _, _ := strings.Cut(r.GroupVersion, "/")
	return name == ofRoute && (!grouped || group == groupOfRoute) && (subresource == "" || subresource == ofSub)
}

func (o *routesOptions) write(std *streams, all []routes.Route) error {
	if o.format == "json" {
		encoder := json.NewEncoder(std.out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(all)
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 3, ' ', 0)
	heading := "METHOD\tPATH\tHANDLER\tSTORAGE\tSTRATEGY"
	if o.format == "wide" {
		heading += "\tOPERATION\tPLACE"
	}
	fmt.Fprintln(w, heading)
	for _, r := range all {
		row := []string{r.Method, r.Path, short(r.Handler), orNone(short(r.Storage)), orNone(short(r.Strategy))}
		if o.format == "wide" {
			row = append(row, orNone(r.Operation), fmt.Sprintf("%s:%d", r.File, r.Line))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// short is the name of a function, or of a type, as a reader knows it.
func short(name string) string {
	pointer := ""
	if after, ok := strings.CutPrefix(name, "*"); ok {
		pointer, name = "*", after
	}
	call := trace.Call{Function: name}
	text := call.ShortName()
	// Every resource's storage is in a package called so: the one above it tells which.
	if dir, _, ok := strings.Cut(name, "/storage."); ok && strings.HasPrefix(text, "storage.") {
		text = dir[strings.LastIndexByte(dir, '/')+1:] + "/" + text
	}
	return pointer + text
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
