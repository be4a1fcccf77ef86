package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/trace"
)

// saveLarge is a program that saves a recording of 100,000 calls: those of a real recording,
// repeated below its first call. It runs as a process of its own because the peak memory of
// a process starts at that of its parent.
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

// peakOf runs a program that TestMain knows, and returns its peak memory in MB. It is run by a small process: Linux counts
// the memory of the one that starts a program as the program's (fs/exec.c, exec_mmap), and the process of the tests is large.
func peakOf(tb testing.TB, program string, args ...string) (peak float64) {
	tb.Helper()
	self, err := exec.LookPath("print-peak")
	if err != nil {
		tb.Fatal(err)
	}
	command := exec.Command(self, append([]string{program}, args...)...)
	command.Stderr = tb.Output()
	out, err := command.Output()
	if err != nil {
		tb.Fatalf("%s: %v", program, err)
	}
	if _, err := fmt.Sscan(string(out), &peak); err != nil {
		tb.Fatalf("%s: %v", program, err)
	}
	return peak
}

// printPeak is the command "print-peak PROGRAM ARGS": it runs the program, and prints its peak memory in MB.
func printPeak() {
	command := exec.Command(os.Args[1], os.Args[2:]...)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	peak := float64(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1e6
	if runtime.GOOS != "darwin" { // macOS counts in bytes, others in kilobytes
		peak *= 1024
	}
	fmt.Println(peak)
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
