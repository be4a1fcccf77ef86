package session

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
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/program"
)

// ServeInBackground runs this program in the background, with the arguments except
// --background, and returns when its server is ready. It writes the path of the
// kubeconfig to w.
func ServeInBackground(ctx context.Context, args []string, w io.Writer, p message.Printer, to Reporter) error {
	cache, err := program.OpenCache("")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return message.Errorf("finding apitrace to run it in the background: %w", err)
	}
	sweepLogs(cache)
	log, err := os.CreateTemp(cache.Root, newLog)
	if err != nil {
		return err
	}
	defer log.Close()
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--background" || arg == "--background=true" })
	child := exec.Command(self, args...)
	child.Stderr = log
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the child outlives the terminal
	ready, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return errors.Join(message.Errorf("starting apitrace in the background: %w", err), os.Remove(log.Name()))
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
		if path == "" { // the child has ended
			_ = child.Wait()
			defer os.Remove(logName)
			return notStarted(contents(log, p), p)
		}
		to.Notice("%s", contents(log, p))
		to.Notice("it runs in the background as process %d and logs to %s; \"apitrace serve --stop\" ends it", child.Process.Pid, logName)
		fmt.Fprintln(w, path)
		return child.Process.Release()
	case <-ctx.Done():
		_ = child.Process.Signal(syscall.SIGTERM)
		_ = child.Wait()
		return errors.Join(context.Cause(ctx), os.Remove(logName))
	}
}

// newLog is the pattern for a log's name until the process id is known.
const newLog = "serve-new-*.log"

// logOf returns the path of a background process's log.
func logOf(cache *program.Cache, pid int) string {
	return filepath.Join(cache.Root, fmt.Sprintf("serve-%d.log", pid))
}

// sweepLogs removes the logs of processes that have ended.
func sweepLogs(cache *program.Cache) {
	logs, _ := filepath.Glob(filepath.Join(cache.Root, "serve-*.log"))
	for _, log := range logs {
		var pid int
		if named, _ := filepath.Match(newLog, filepath.Base(log)); named {
			if info, err := os.Stat(log); err == nil && time.Since(info.ModTime()) > time.Minute {
				_ = os.Remove(log) // apitrace was killed before it renamed the log
			}
			continue
		}
		if _, err := fmt.Sscanf(filepath.Base(log), "serve-%d.log", &pid); err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.Remove(log) // else the next sweep removes it
		}
	}
}

// notStarted returns an error with the reason that ended a process, according to its log:
// the error, or all of the log if it has none.
func notStarted(log string, p message.Printer) error {
	if _, reason, ok := strings.Cut("\n"+log, "\n"+p.Sprintf("error: %s", "")); ok {
		return message.Errorf("the server did not start: %s", reason)
	}
	return message.Errorf("the server did not start:\n%s", log)
}

// contents returns the log so far, without pressToStop.
func contents(log *os.File, p message.Printer) string {
	data, err := io.ReadAll(io.NewSectionReader(log, 0, 1<<20))
	if err != nil {
		return p.Sprintf("(reading %s: %s)", filepath.Base(log.Name()), err)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(data), pressToStop.In(p.Lang())+"\n", ""))
}
