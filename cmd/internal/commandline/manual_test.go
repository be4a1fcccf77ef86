package commandline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kubeapitrace/apitrace/cmd/internal/commandline"
)

// TestManual checks that there is a page for each command, and that the pages show texts
// with Markdown's special characters unchanged.
func TestManual(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	root := &cobra.Command{Use: "tool", Short: "Show calls", Long: "Calls of (*store).Get and (*store).List.\n\n  a_b  <c>\n  *d*"}
	child := &cobra.Command{Use: "send [NAME]", Short: "Send calls of *store_a* <b>", Run: func(*cobra.Command, []string) {}}
	child.Flags().Bool("otlp", false, "as the variables OTEL_* and OTEL_EXPORTER_OTLP_* say")
	root.AddCommand(child)
	folder := filepath.Join(t.TempDir(), "man1")
	if err := commandline.WriteManual(root, folder, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	for name, expected := range map[string][]string{
		"tool.1":      {`.TH "TOOL" "1" "Nov 2023" "tool v1.2.3" "tool"`, "Calls of (*store).Get and (*store).List.", "  a_b  <c>\n  *d*", "tool-send(1)"},
		"tool-send.1": {"as the variables OTEL_* and OTEL_EXPORTER_OTLP_* say", "send [NAME]", "tool-send - Send calls of *store_a* <b>\n", ".SH DESCRIPTION\nSend calls of *store_a* <b>\n"},
	} {
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range expected {
			if !strings.Contains(string(page), text) {
				t.Errorf("%s lacks %q:\n%s", name, text, page)
			}
		}
	}
}
