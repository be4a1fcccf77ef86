package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/usage"
)

// sampleOptions say which requests of a server's clients are traced, and that their spans are sent.
type sampleOptions struct {
	otlp bool
	rate float64
}

func (o *sampleOptions) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.otlp, "otlp", false, "trace requests of clients and send the spans by OTLP, to where the OTEL_EXPORTER_OTLP_* variables say")
	flags.Float64Var(&o.rate, "sample", 1, "which part of the requests --otlp traces, chosen at random: 0.01 for one of a hundred")
}

func (o *sampleOptions) validate() error {
	if o.rate <= 0 || o.rate > 1 {
		return usage.Errorf("--sample %v: expected a number greater than 0 and at most 1, such as 0.01", o.rate)
	}
	if o.rate != 1 && !o.otlp {
		return usage.Errorf("--sample chooses what --otlp sends: give both")
	}
	return nil
}

// part says which of the requests are traced.
func (o *sampleOptions) part() string {
	if o.rate == 1 {
		return "each request"
	}
	return fmt.Sprintf("%v of the requests", o.rate)
}
