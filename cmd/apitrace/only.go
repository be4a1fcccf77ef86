package main

import (
	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// addOnlyFlag adds --only, which selects requests by their numbers.
func addOnlyFlag(command *cobra.Command, only *[]int) {
	command.Flags().IntSliceVar(only, "only", nil, "show only these requests, which are numbered from 1 as in a summary: 3 or 1,4")
}

func validateOnly(only []int) error {
	for _, n := range only {
		if n < 1 {
			return message.UsageErrorf("--only %d: the requests are numbered from 1", n)
		}
	}
	return nil
}
