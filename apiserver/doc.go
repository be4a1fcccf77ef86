// Package apiserver builds, starts and finds the real kube-apiserver with its etcd,
// and the sample API server behind its aggregator.
//
// BuildPrograms builds the binaries of a release, traced or plain, with or without
// the user's edits, or finds them in the cache. Start runs them on the loopback
// interface and returns when a client can work. The servers end with Stop, and at the
// latest with the process. Publish lets other processes of the user find the server.
// Attach finds it by the content of the binaries.
//
// Replaying, collecting and printing belong to package session.
package apiserver
