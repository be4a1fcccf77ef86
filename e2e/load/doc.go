// Package load holds the tests under load. BenchmarkLoad ("make bench-load") compares a traced server with upstream's own build
// while clients work; TestSlowSoak ("make soak") keeps clients at work and checks that the traced server needs no more and
// more memory, goroutines and files. The clients use client-go, and every server is on loopback. The package has no code but tests.
package load
