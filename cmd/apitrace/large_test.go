package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// saveLarge is a program that saves a recording of 100,000 calls: the calls of a real
// recording, repeated below its first call. It runs as a separate process because the
// peak memory of a process starts at the peak memory of its parent.
func saveLarge() {
	rec, err := trace.Load(os.Args[1])
	if err == nil {
		repeat(&rec.Requests[0], 100_000)
		err = trace.Save(context.Background(), os.Args[2], rec)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func repeat(r *trace.Request, calls int) {
	id := func(i int) string { return fmt.Sprintf("%016x", i+1) }
	once := r.Calls
	r.Calls = nil
	for len(r.Calls) < calls {
		offset, index := len(r.Calls), map[string]int{}
		for i, call := range once {
			index[call.ID] = offset + i
			call.ID = id(offset + i)
			call.StartNs += int64(offset) * 1_000_000
			if call.Parent != "" {
				call.Parent = id(index[call.Parent])
			} else if offset > 0 {
				call.Parent = id(0)
			}
			r.Calls = append(r.Calls, call)
		}
	}
}

// largeFile returns the path of the file that saveLarge writes.
func largeFile(tb testing.TB) string {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "large.jsonl")
	peakOf(tb, "save-large", "testdata/create-deployment.jsonl", file)
	return file
}

// A cost is the time and the memory that a program used.
type cost struct {
	// peak is the largest memory in MB, processor and elapsed are times in seconds.
	peak, processor, elapsed float64
	status                   int
	// stderr is the program's standard error.
	stderr string
}

// costOf runs a program that TestMain knows. A small process starts the program,
// because Linux counts the memory of the starting process as the program's (fs/exec.c,
// exec_mmap), and the process of the tests is large.
func costOf(tb testing.TB, program string, args ...string) (c cost) {
	tb.Helper()
	self, err := exec.LookPath("print-cost")
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.Command(self, append([]string{program}, args...)...)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &c.peak, &c.processor, &c.elapsed, &c.status)
	}
	if err != nil {
		tb.Fatalf("%s: %v\n%s", program, err, &stderr)
	}
	c.stderr = stderr.String()
	return c
}

// peakOf runs a program that TestMain knows and that must succeed, and returns its peak
// memory in MB.
func peakOf(tb testing.TB, program string, args ...string) float64 {
	tb.Helper()
	c := costOf(tb, program, args...)
	if c.status != 0 {
		tb.Fatalf("%s %v: exit status %d\n%s", program, args, c.status, c.stderr)
	}
	return c.peak
}

// printCost is the command "print-cost PROGRAM ARGS": it runs the program, and prints the
// fields of its cost.
func printCost() {
	command := exec.Command(os.Args[1], os.Args[2:]...)
	command.Stderr = os.Stderr
	start := time.Now()
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	state := command.ProcessState
	peak := float64(state.SysUsage().(*syscall.Rusage).Maxrss) / 1e6
	if runtime.GOOS != "darwin" { // macOS counts in bytes, others in kilobytes
		peak *= 1024
	}
	fmt.Println(peak, (state.UserTime() + state.SystemTime()).Seconds(), time.Since(start).Seconds(), state.ExitCode())
}

func TestSlowLargeRecordingNeedsLittleMemory(t *testing.T) {
	testenv.Slow(t)
	const most = 300
	if peak := peakOf(t, "apitrace", "show", largeFile(t)); peak > most {
		t.Errorf("apitrace show of 100,000 calls took %.0f MB, expected at most %d", peak, most)
	}
}

// BenchmarkShow measures the whole command, from the file to the default view.
func BenchmarkShow(b *testing.B) {
	file := largeFile(b)
	var peak float64
	for b.Loop() {
		peak = max(peak, peakOf(b, "apitrace", "show", file))
	}
	b.ReportMetric(peak, "MB-peak")
}

// BenchmarkCommands measures each command that reads recordings. The recording is boot,
// the start of kube-apiserver, which is the longest of the embedded recordings. The
// benchmark prints a table in Markdown. Figures above the goals of 2 s of processor time
// and 300 MB of memory are bold.
func BenchmarkCommands(b *testing.B) {
	const mostSeconds, mostMB = 2, 300
	file := filepath.Join(b.TempDir(), "boot.json")
	if err := writeBoot(file); err != nil {
		b.Fatal(err)
	}
	marked := func(text string, above bool) string {
		if above {
			return "**" + text + "**"
		}
		return text
	}
	for b.Loop() {
		fmt.Println("\n| command | seconds | processor time | peak memory |\n| --- | --- | --- | --- |")
		for _, line := range commandsOnBoot {
			args := strings.Fields(line)
			for i, arg := range args {
				if arg == "FILE" {
					args[i] = file
				}
			}
			c := costOf(b, "apitrace", args...)
			// "diff" and "compare" end with 1 because the sides differ.
			if c.status != 0 && (c.status != 1 || args[0] != "diff" && args[0] != "compare") {
				b.Fatalf("apitrace %s: exit status %d\n%s", line, c.status, c.stderr)
			}
			fmt.Printf("| `apitrace %s` | %.1f | %s | %s |\n", line, c.elapsed,
				marked(fmt.Sprintf("%.1f s", c.processor), c.processor > mostSeconds), marked(fmt.Sprintf("%.0f MB", c.peak), c.peak > mostMB))
		}
	}
}

// commandsOnBoot are the commands that BenchmarkCommands measures. FILE stands for a file
// with the recording boot as JSON.
var commandsOnBoot = []string{
	"show boot --view outline",
	"show boot",
	"show boot --view full",
	"show boot --summary",
	"show boot -o names",
	"show boot -o json",
	"show boot -o yaml",
	"show boot -o html",
	"show boot -o stdout",
	"show boot -o chrome",
	"show boot -o folded",
	"show boot -o mermaid",
	"show FILE",
	"export tour boot",
	"diff boot 1.30 1.37",
	"diff boot 1.30 1.37 --view full",
	"diff boot 1.30 1.37 --side-by-side",
	"diff boot 1.30 1.37 -o names",
	"diff boot 1.30 1.37 -o json",
	"diff boot 1.30 1.37 -o markdown",
	"diff boot 1.30 1.37 -o html",
	"compare boot get-node",
	"history boot",
	"history etcd3.newStore",
	"explain etcd3.New --scenario boot",
	"search newStore",
	"routes",
}

func writeBoot(path string) error {
	rec, err := recordings.Load(recordings.Latest, "boot")
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(trace.WriteJSON(file, rec), file.Close())
}
