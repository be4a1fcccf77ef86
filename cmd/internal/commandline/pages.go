package commandline

import (
	"slices"

	"github.com/spf13/cobra"
)

// Pages reports whether c shows its output in a pager: it is one of commands, which
// users read from the beginning, and --no-pager is not set.
func Pages(c *cobra.Command, commands ...string) bool {
	no, err := c.Flags().GetBool("no-pager")
	return err == nil && !no && slices.Contains(commands, c.Name())
}
