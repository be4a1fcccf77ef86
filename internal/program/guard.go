package program

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A guard is the connection to the guard process, which briefly outlives this process.
// The guard process reads from a pipe that this process holds open. So it notices the
// end of this process, even after a SIGKILL.
// It then performs the duties that were not withdrawn: it kills processes and removes
// folders.
type guard struct {
	mu   sync.Mutex
	to   io.Writer // the pipe; nil without a guard process
	next int       // the ID of the last duty
}

// A duty is a task of the guard, sent as a line of JSON.
type duty struct {
	// ID identifies the duty.
	ID int `json:"id"`
	// Done withdraws the duty with the ID.
	Done bool `json:"done,omitempty"`
	// Group is a process group to kill.
	Group int `json:"group,omitempty"`
	// Mark is an assignment "NAME=value". The guard kills the processes with this
	// assignment in their environment, if the system shows environments.
	Mark string `json:"mark,omitempty"`
	// Dir is a folder to remove.
	Dir string `json:"dir,omitempty"`
}

// A process with guardEnv and guardArgument becomes its parent's guard.
const (
	guardEnv      = "APITRACE_GUARD"
	guardArgument = "guard"
)

// ourGuard returns the guard of this process. The first call starts the guard process.
var ourGuard = sync.OnceValue(func() *guard {
	to, err := startGuard()
	if err != nil {
		// The next command removes most leftovers of a killed process.
		slog.Debug("there is no guard", "error", err)
		return &guard{}
	}
	return &guard{to: to}
})

// init makes this process a guard if it was started as one.
// main cannot do this, because every program with this package can start a guard.
func init() {
	if len(os.Args) == 2 && os.Args[1] == guardArgument && os.Getenv(guardEnv) != "" {
		runGuard(os.Stdin)
		os.Exit(0)
	}
}

func startGuard() (*os.File, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(self, guardArgument)
	cmd.Env, cmd.Dir, cmd.Stdin = []string{guardEnv + "=1"}, "/", theirs
	// In a session of its own, the guard gets no signals of the terminal or of this
	// process group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	go cmd.Wait()
	return ours, nil
}

// GuardGroup makes the guard kill a process group when this process is gone, until release
// is called.
func GuardGroup(pgid int) (release func()) { return ourGuard().add(duty{Group: pgid}) }

// GuardMark makes the guard kill the processes with the assignment in their
// environment when this process is gone, until release is called.
// It also finds processes that left their group, but only on Linux.
func GuardMark(assignment string) (release func()) { return ourGuard().add(duty{Mark: assignment}) }

// guardDir makes the guard remove a folder when this process is gone, until release
// is called.
func guardDir(dir string) (release func()) { return ourGuard().add(duty{Dir: dir}) }

func (g *guard) add(d duty) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next++
	d.ID = g.next
	g.send(d)
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.send(duty{ID: d.ID, Done: true})
	}
}

// send writes to the pipe. The guard reads the duty even if this process is killed next.
func (g *guard) send(d duty) {
	if g.to == nil {
		return
	}
	data, err := json.Marshal(d)
	if err != nil {
		panic(err) // numbers, booleans and texts always have a JSON form
	}
	if _, err := g.to.Write(append(data, '\n')); err != nil {
		slog.Debug("the guard is gone", "error", err)
	}
}

// runGuard reads duties until their sender is gone.
// It then performs the duties that were not withdrawn.
func runGuard(from io.Reader) {
	left := map[int]duty{}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		var d duty
		if json.Unmarshal(lines.Bytes(), &d) != nil {
			break // the process was killed while it wrote this line
		}
		if d.Done {
			delete(left, d.ID)
		} else {
			left[d.ID] = d
		}
	}
	for _, d := range left {
		if d.Group > 1 {
			_ = syscall.Kill(-d.Group, syscall.SIGKILL) // an error means that the group is gone
		}
	}
	for _, d := range left {
		if d.Mark != "" {
			killMarked(d.Mark)
		}
	}
	for _, d := range left { // last, because the killed processes may have written to the folders
		if d.Dir != "" {
			removeDeserted(d.Dir)
		}
	}
}

// removeDeserted removes a folder.
// It tries several times, because ending processes may still write to the folder.
func removeDeserted(dir string) {
	for range 100 {
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}
