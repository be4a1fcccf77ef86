package commandline

import (
	"slices"

	"github.com/spf13/cobra"
)

// Pages reports whether c shows its output in a pager. It does so if commands has its name
// and --no-pager is not set.
func Pages(c *cobra.Command, commands ...string) bool {
	no, err := c.Flags().GetBool("no-pager")
	return err == nil && !no && slices.Contains(commands, c.Name())
}
