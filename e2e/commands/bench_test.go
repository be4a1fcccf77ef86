package commands

import "testing"

// BenchmarkRun runs the command as a user does: on a server of its own, and on one that
// "apitrace serve" keeps running.
func BenchmarkRun(b *testing.B) {
	m := newMachine(b)
	run := func(b *testing.B) {
		for b.Loop() {
			if _, notices, status := m.run("run", "get-node"); status != 0 {
				b.Fatalf("apitrace run get-node: exit status %d\n%s", status, notices)
			}
		}
	}
	b.Run("own-server", run)
	m.start("serve")
	b.Run("with-serve", run)
}
