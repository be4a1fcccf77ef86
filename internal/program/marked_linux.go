package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// killMarked kills this user's processes that were started with the assignment in
// their environment. It searches again, because they may start others meanwhile.
func killMarked(assignment string) {
	for range 20 {
		found := false
		for _, pid := range marked(assignment) {
			found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
		}
		if !found {
			return
		}
	}
}

// marked lists the ids of this user's processes with the assignment in their
// environment, without this process.
func marked(assignment string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environment, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil {
			continue
		}
		for variable := range bytes.SplitSeq(environment, []byte{0}) {
			if string(variable) == assignment {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}
