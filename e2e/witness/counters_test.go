package witness

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// A counted program is a running program. Its counters can be cleared and read.
type counted struct {
	source *source
	socket string
	// meta is a folder with the description of the counters.
	meta string
	// covdata is the path of the tool that reads the counters.
	covdata string
	// entries maps the first block of a function to the function. The first profile
	// fills it.
	entries map[string]function
}

// A set has functions by their name in traces.
type set map[string]function

func newCounted(t *testing.T, s *apiserver.Server, src *source) *counted {
	t.Helper()
	toolchain, err := program.FindToolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tool, err := exec.CommandContext(t.Context(), toolchain.Go, "tool", "-n", "covdata").CombinedOutput()
	if err != nil {
		t.Fatalf("looking for covdata: %v: %s", err, tool)
	}
	c := &counted{source: src, socket: s.ProbeSockets[src.program], meta: t.TempDir(), covdata: strings.TrimSpace(string(tool))}
	if err := c.command(t.Context(), "meta "+c.meta); err != nil {
		t.Fatal(err)
	}
	return c
}

// command sends a command to the hook in the program.
func (c *counted) command(ctx context.Context, line string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", c.socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := fmt.Fprintln(conn, line); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	if err == nil && strings.TrimSpace(string(answer)) != "ok" {
		err = fmt.Errorf("%s: %s: %q", c.source.program, line, answer)
	}
	return err
}

func (c *counted) clear(ctx context.Context) error { return c.command(ctx, "clear") }

// write writes the counters to a new folder below dir.
func (c *counted) write(ctx context.Context, dir string) (string, error) {
	window, err := os.MkdirTemp(dir, c.source.program)
	if err != nil {
		return "", err
	}
	return window, c.command(ctx, "counters "+window)
}

// block is a line of a profile: file, begin, end, number of statements, count.
var block = regexp.MustCompile(`^(.+):(\d+)\.(\d+),\d+\.\d+ \d+ (\d+)$`)

// read returns the called functions, by the counters in a folder. A function was called
// if its first block ran. A loop that began earlier and continues is not a call.
func (c *counted) read(t *testing.T, window string) set {
	t.Helper()
	profile := filepath.Join(window, "profile")
	out, err := exec.CommandContext(t.Context(), c.covdata, "textfmt", "-i="+c.meta+","+window, "-o="+profile).CombinedOutput()
	if err != nil {
		t.Fatalf("reading the counters: %v: %s", err, out)
	}
	defer os.RemoveAll(window)
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	if c.entries == nil {
		c.findEntries(t, string(text))
	}
	called := set{}
	for line := range strings.Lines(string(text)) {
		if at, count := cutCount(line); count != "0" {
			if f, ok := c.entries[at]; ok {
				called[f.name] = f
			}
		}
	}
	return called
}

// cutCount splits a line of a profile into a block and its count.
func cutCount(line string) (block, count string) {
	line = strings.TrimSuffix(line, "\n")
	i := strings.LastIndexByte(line, ' ')
	return line[:max(i, 0)], line[i+1:]
}

// findEntries finds the first block of each function in a profile. A profile lists
// every block, even if it did not run.
func (c *counted) findEntries(t *testing.T, profile string) {
	t.Helper()
	c.entries = map[string]function{}
	type entry struct {
		at    string
		begin position
	}
	first := map[string]entry{}
	for line := range strings.Lines(profile) {
		m := block.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil || strings.HasPrefix(m[1], mainModule+"/") {
			continue
		}
		begin := position{number(t, m[2]), number(t, m[3])}
		f, ok := c.source.at(m[1], begin)
		if !ok {
			t.Fatalf("the block %s is not in a function of %s", line, c.source.program)
		}
		at, _ := cutCount(line)
		if known, ok := first[f.key()]; !ok || begin.before(known.begin) {
			first[f.key()] = entry{at, begin}
		}
	}
	for _, functions := range c.source.functions {
		for _, f := range functions {
			if e, ok := first[f.key()]; ok { // otherwise the program does not have the package
				c.entries[e.at] = f
			}
		}
	}
}

func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
