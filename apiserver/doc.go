// Package apiserver builds, starts and finds the real kube-apiserver with the etcd that belongs to it, and the sample
// API server behind its aggregator.
//
// BuildPrograms makes the binaries of a release, traced or plain, with a person's edits or without, or finds them in
// the cache. Start runs them on the loopback interface and returns once a client can work; what it starts ends with
// Stop, and at the latest with the process. Publish lets other processes of the user find the server, and Attach finds
// it, by the content of the binaries. Nothing in here replays, collects or prints: package session does.
package apiserver
