package render

import "github.com/kubeapitrace/apitrace/internal/text"

func oneLine(s string) string           { return text.Escape(s) }
func wrap(s string, width int) []string { return text.Wrap(s, width) }

func columnsOf(s string) int { return text.Columns(s) }
