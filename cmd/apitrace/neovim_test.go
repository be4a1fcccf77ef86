package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// neovimDrive is a Lua script that drives a session with nvim-dap. It prints a line for
// each stop: the reason, the frame, the file and the line of the cursor, and the number
// of listed threads.
const neovimDrive = `
local stops, framed, last = 0, 0, nil
dap.listeners.after.event_stopped.test = function(_, body) stops, last = stops + 1, body end
dap.listeners.after.scopes.test = function() framed = stops end
vim.fn.input = function(_, default) return default end
local function say(...) io.stdout:write(table.concat({...}, ' ') .. '\n') end
local function after(what, move)
  local before = stops
  move()
  if not vim.wait(60000, function() return stops > before and framed == stops end, 10) then
    say('NO STOP after ' .. what)
    vim.cmd('cquit')
  end
  local session = dap.session()
  say(what .. ':', last.reason, session.current_frame.name, vim.fn.expand('%:t') .. ':' .. vim.fn.line('.'),
    vim.tbl_count(session.threads) .. ' threads')
end
after('run', function() dap.run(dap.configurations.go[#dap.configurations.go]) end)
after('step_over', dap.step_over)
dap.toggle_breakpoint()
after('step_into', dap.step_into)
after('step_out', dap.step_out)
after('step_back', dap.step_back)
after('reverse_continue', dap.reverse_continue)
after('continue', dap.continue)
dap.terminate()
say('end')
vim.cmd('qall!')
`

// TestDAPInNeovim runs the Neovim configuration of docs/editors.md in Neovim with
// nvim-dap, if both are installed.
func TestDAPInNeovim(t *testing.T) {
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("Neovim is not installed")
	}
	docs, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	config := regexp.MustCompile("(?s)```lua\n(.*?)```").FindSubmatch(docs)
	if config == nil {
		t.Fatal("docs/editors.md has no configuration in Lua")
	}
	script := filepath.Join(t.TempDir(), "init.lua")
	const guard = "if not pcall(require, 'dap') then io.stdout:write('no nvim-dap\\n') vim.cmd('qall!') end\n"
	if err := os.WriteFile(script, []byte("vim.cmd('packloadall')\n"+guard+string(config[1])+neovimDrive), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, nvim, "--headless", "-i", "NONE", "-n", "-u", "NONE", "-S", script)
	command.Dir = fakeCheckout(t, "get-node")
	command.Env = append(os.Environ(), "APITRACE_CACHE="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	out, err := command.CombinedOutput()
	said := strings.ReplaceAll(string(out), "\r", "")
	if strings.Contains(said, "no nvim-dap") {
		t.Skip("nvim-dap is not installed")
	}
	if err != nil {
		t.Fatalf("%v\n%s", errors.Join(err, ctx.Err()), said)
	}
	t.Log(said)
	for _, want := range []string{
		"run: entry server.(*APIServerHandler).ServeHTTP handler.go:187 3 threads",
		"step_over: step server.(*APIServerHandler).ServeHTTP handler.go:",
		"step_into: step ",
		"step_out: step server.(*APIServerHandler).ServeHTTP",
		"step_back: breakpoint server.(*APIServerHandler).ServeHTTP handler.go:",
		"reverse_continue: entry server.(*APIServerHandler).ServeHTTP handler.go:187 3 threads",
		"continue: breakpoint server.(*APIServerHandler).ServeHTTP handler.go:",
		"end",
	} {
		if !strings.Contains("\n"+said, "\n"+want) {
			t.Errorf("no stop %q in\n%s", want, said)
		}
	}
}

// fakeCheckout makes a folder with the files of a scenario's first request, at their
// paths in a checkout of kubernetes. Each file has only the first line of each recorded
// function.
func fakeCheckout(t *testing.T, scenario string) string {
	t.Helper()
	rec, err := recordings.Load("", scenario)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]map[int]string{}
	for _, c := range rec.Requests[0].Calls {
		if file, ok := trace.KubernetesPath(c.File); ok {
			if lines[file] == nil {
				lines[file] = map[int]string{}
			}
			lines[file][c.Line] = "func f" + strconv.Itoa(c.Line) + "() {}"
		}
	}
	dir := t.TempDir()
	for file, at := range lines {
		text := make([]string, slices.Max(slices.Collect(maps.Keys(at)))+500)
		for line, begins := range at {
			text[line-1] = begins
		}
		where := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(where, []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
