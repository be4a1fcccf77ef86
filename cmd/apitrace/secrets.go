package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/collect"
)

// addSecretFlags adds the flags that say what becomes of errors that may quote a Secret.
func addSecretFlags(command *cobra.Command, secrets *collect.Secrets) {
	flags := command.Flags()
	flags.BoolVar(&secrets.Show, "show-secrets", false, "show and save the texts of errors of requests on Secrets and tokens, too, which may quote them")
	flags.StringSliceVar(&secrets.Kinds, "secret-kinds", nil, "resources whose errors are not shown either, such as configmaps,widgets.example.org")
}

// addSampleFlags adds the flags that say which requests of a server's clients are traced.
func addSampleFlags(command *cobra.Command, o *session.Sampling) {
	flags := command.Flags()
	flags.BoolVar(&o.OTLP, "otlp", false, "trace requests of clients and send the spans by OTLP, to where the OTEL_EXPORTER_OTLP_* variables say")
	flags.Float64Var(&o.Rate, "sample", 1, "which part of the requests --otlp traces, chosen at random: 0.01 for one of a hundred")
}
