// Package web serves the recordings to a browser of this machine: a REST API below [Base], its OpenAPI
// document, and the page that uses it.
//
// The API reads the embedded recordings, files that the user names, and sources on this machine. Its live part
// starts servers and sends requests through an [Engine], and its workshop part writes a learner's progress.
// Errors are [Error]s. The server refuses requests without its token, under another host name, or from a page
// of another origin.
package web

// Base is the path of the API's group and version, below /apis as in Kubernetes.
const Base = "/apis/apitrace/v1"
