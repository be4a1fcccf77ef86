package group

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A process with reportArgument as its only argument is a reporter. reportEnv names the
// folder of the progress.
const (
	reportEnv      = "APITRACE_GROUP_REPORT"
	reportArgument = "group-report"
	// reportTime limits the life of a reporter.
	reportTime = 20 * time.Second
)

// init turns this process into a reporter if RequestSend started it. It runs before main,
// because RequestSend starts its own executable again, which may be any program with this
// package.
func init() {
	if dir := os.Getenv(reportEnv); len(os.Args) == 2 && os.Args[1] == reportArgument && dir != "" {
		ctx, cancel := context.WithTimeout(context.Background(), reportTime)
		defer cancel()
		if err := Send(ctx, dir); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// RequestSend starts a process that reports the progress in a folder, if the learner is
// in a group. It neither waits nor fails, so a group never disturbs the learner's work.
func RequestSend(dir string) {
	if _, err := os.Stat(file(dir)); err != nil {
		return
	}
	self, err := os.Executable()
	if err != nil {
		slog.Debug("not reporting to the group", "error", err)
		return
	}
	reporter := exec.Command(self, reportArgument)
	reporter.Env, reporter.Dir = []string{reportEnv + "=" + dir}, "/"
	reporter.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this process and the terminal
	if err := reporter.Start(); err != nil {
		slog.Debug("not reporting to the group", "error", err)
		return
	}
	go reporter.Wait()
}
