package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/apiserver"
	"github.com/kubeapitrace/apitrace/internal/program"
	"github.com/kubeapitrace/apitrace/internal/usage"
	"github.com/kubeapitrace/apitrace/session"
	"github.com/kubeapitrace/apitrace/session/console"
)

// exclusive refuses what --status and --stop would ignore.
func (o *serveOptions) exclusive(c *cobra.Command) error {
	if !o.status && !o.stop {
		return nil
	}
	var given []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "k8s" {
			given = append(given, "--"+f.Name)
		}
	})
	if len(given) > 1 || o.status && c.Flags().Changed("k8s") {
		return usage.Errorf("--status and --stop are about servers that run already: give one of them alone, or --stop with --k8s")
	}
	return nil
}

// showServed lists the servers that are kept running.
func showServed(ctx context.Context, std *console.Streams) error {
	servers, err := served()
	if err != nil {
		return err
	}
	if len(servers) == 0 {
		std.Notice("no server is kept running; \"apitrace serve\" starts one")
		return nil
	}
	table := tabwriter.NewWriter(std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "VERSION\tURL\tPROCESS\tSTATE\tKUBECONFIG")
	for _, s := range servers {
		state := "ready"
		if err := s.Answers(ctx); err != nil {
			state = "does not answer"
		}
		if len(s.Edited) > 0 {
			state += ", edited"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", s.K8sVersion, s.BaseURL, s.Owner, state, s.AdminKubeconfig)
	}
	return table.Flush()
}

func served() ([]*apiserver.Server, error) {
	cache, err := program.OpenCache("")
	if err != nil {
		return nil, err
	}
	return apiserver.Served(cache)
}

// stopServed stops the servers that are kept running, or those of a release that was asked for.
func (o *serveOptions) stopServed(c *cobra.Command, std *console.Streams) error {
	servers, err := served()
	if err != nil {
		return err
	}
	if c.Flags().Changed("k8s") {
		servers = slices.DeleteFunc(servers, func(s *apiserver.Server) bool { return s.K8sVersion != o.server.Version })
	}
	if len(servers) == 0 {
		std.Notice("no server is kept running")
	}
	var errs []error
	for _, s := range servers {
		if err := session.StopServed(c.Context(), s); err != nil {
			errs = append(errs, err)
			continue
		}
		std.Notice("stopped the server of %s at %s", s.K8sVersion, s.BaseURL)
	}
	return errors.Join(errs...)
}

// serveInBackground runs the same command in the background, and returns when its server is ready.
func serveInBackground(ctx context.Context, std *console.Streams) error {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding apitrace to run it in the background: %w", err)
	}
	sweepLogs(cache)
	log, err := os.CreateTemp(cache.Root, "serve-*.log")
	if err != nil {
		return err
	}
	defer log.Close()
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return arg == "--background" || arg == "--background=true" })
	child := exec.Command(self, args...)
	child.Stderr = log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it survives the terminal
	ready, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return errors.Join(fmt.Errorf("starting apitrace in the background: %w", err), os.Remove(log.Name()))
	}
	logName := logOf(cache, child.Process.Pid)
	if err := os.Rename(log.Name(), logName); err != nil {
		logName = log.Name()
	}
	kubeconfig := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(ready).ReadString('\n')
		kubeconfig <- strings.TrimSpace(line)
	}()
	select {
	case path := <-kubeconfig:
		if path == "" { // it has ended
			_ = child.Wait()
			defer os.Remove(logName)
			return fmt.Errorf("the server did not start:\n%s", contents(log))
		}
		std.Notice("%s", contents(log))
		std.Notice("it runs in the background, as process %d, and says what happens in %s; \"apitrace serve --stop\" ends it", child.Process.Pid, logName)
		fmt.Fprintln(std.Out, path)
		return child.Process.Release()
	case <-ctx.Done():
		_ = child.Process.Signal(syscall.SIGTERM)
		_ = child.Wait()
		return errors.Join(context.Cause(ctx), os.Remove(logName))
	}
}

// logOf is the log of a process in the background.
func logOf(cache *program.Cache, pid int) string {
	return filepath.Join(cache.Root, fmt.Sprintf("serve-%d.log", pid))
}

// sweepLogs removes the logs of processes that have ended.
func sweepLogs(cache *program.Cache) {
	logs, _ := filepath.Glob(filepath.Join(cache.Root, "serve-*.log"))
	for _, log := range logs {
		var pid int
		if _, err := fmt.Sscanf(filepath.Base(log), "serve-%d.log", &pid); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.Remove(log) // else the next one does
		}
	}
}

// contents is what a log says so far, without the advice for somebody in front of it.
func contents(log *os.File) string {
	data, err := io.ReadAll(io.NewSectionReader(log, 0, 1<<20))
	if err != nil {
		return fmt.Sprintf("(reading %s: %v)", filepath.Base(log.Name()), err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(data), "press Ctrl-C to stop it\n", ""))
}
