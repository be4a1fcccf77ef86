package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/session"
)

// addSecretFlags adds the flags that set how to treat errors that may quote a Secret.
func addSecretFlags(command *cobra.Command, secrets *collect.Secrets) {
	flags := command.Flags()
	flags.BoolVar(&secrets.Show, "show-secrets", false, "also show and save the error texts of requests for Secrets and tokens, which may quote them")
	flags.StringSliceVar(&secrets.Kinds, "secret-kinds", nil, "further resources whose error texts are hidden, such as configmaps,widgets.example.org")
}

// addSampleFlags adds the flags that select which requests of a server's clients are traced.
func addSampleFlags(command *cobra.Command, o *session.Sampling) {
	flags := command.Flags()
	flags.BoolVar(&o.OTLP, "otlp", false, "trace requests of clients and send the spans by OTLP to the receiver that the OTEL_EXPORTER_OTLP_* variables name")
	flags.Float64Var(&o.Rate, "sample", 1, "fraction of the requests that --otlp traces, chosen at random: 0.01 is one in a hundred")
}
