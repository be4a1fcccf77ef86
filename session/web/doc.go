// Package web serves the recordings to a browser of this machine: a REST API below [Base], its OpenAPI
// document, and the page that uses it.
//
// The API only reads. What it lists comes from the recordings that apitrace carries, from files that the
// user names, and from sources that are on this machine. Errors are [Error]s. Who does not have the token of
// the server, comes under another host name, or is sent by a page of another origin is refused.
package web

// Base is the path of the API's group and version, as Kubernetes has them below /apis.
const Base = "/apis/apitrace/v1"
