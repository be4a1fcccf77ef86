package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Offer completes the value of a flag with names.
func Offer(names func() ([]string, error)) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		all, err := names()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// OfferTyped completes with the names that match the typed text.
func OfferTyped(names func(typed string) ([]string, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return Offer(func() ([]string, error) { return names(typed) })(c, args, typed)
	}
}

// OfferFirst completes the first argument with names, and with files if files is set.
func OfferFirst(names func() ([]string, error), files bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		all, err := names()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all = slices.DeleteFunc(all, func(name string) bool { return !strings.HasPrefix(name, typed) })
		if files {
			return all, cobra.ShellCompDirectiveDefault
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}
