package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/console"
	"github.com/kubeapitrace/apitrace/cmd/internal/output"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace/articles"
)

func newArticleCommand(std *console.Streams) *cobra.Command {
	var language string
	var onlyErrors bool
	command := newCommand("article", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		lang, err := output.Language(language)
		if err != nil {
			return err
		}
		if onlyErrors {
			return articles.WriteErrors(std.Out, strings.Join(args, ""), message.For(lang))
		}
		return articles.Write(std.Out, strings.Join(args, ""), message.For(lang))
	})
	command.Flags().BoolVar(&onlyErrors, "errors", false, "list only the steps where the articles are wrong")
	addLanguageFlag(command, &language)
	return command
}
