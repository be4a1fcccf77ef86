// Package load holds the tests under load, and no other code. BenchmarkLoad ("make
// bench-load") compares a traced server with upstream's own build while clients work.
// TestSlowSoak ("make soak") checks under long load that the traced server's memory,
// goroutines and open files do not grow. The clients use client-go. Every server
// listens on loopback.
package load
