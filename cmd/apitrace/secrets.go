package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/session/collect"
)

// addSecretFlags adds the flags that say what becomes of errors that may quote a Secret.
func addSecretFlags(command *cobra.Command, secrets *collect.Secrets) {
	flags := command.Flags()
	flags.BoolVar(&secrets.Show, "show-secrets", false, "show and save the texts of errors of requests on Secrets and tokens, too, which may quote them")
	flags.StringSliceVar(&secrets.Kinds, "secret-kinds", nil, "resources whose errors are not shown either, such as configmaps,widgets.example.org")
}
