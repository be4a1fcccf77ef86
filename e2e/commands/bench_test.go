package commands

import "testing"

// BenchmarkRun runs the command as a user does: on its own server, and on a running
// server of "apitrace serve".
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
