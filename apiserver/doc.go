// Package apiserver builds, starts and finds the real kube-apiserver with its etcd.
// It does the same for the sample API server behind the aggregator.
//
// BuildPrograms builds the binaries of a release, or finds them in the cache.
// They are traced or plain, with or without the user's edits.
// Start runs them on the loopback interface and returns when a client can work.
// The servers end with Stop, and at the latest with the process.
// Publish lets other processes of the user find the server.
// Attach finds it by the content of the binaries.
//
// Replaying, collecting and printing belong to package session.
package apiserver
