// Package web serves the recordings to a browser on this machine. It has a
// REST API below [Base], the API's OpenAPI document, and the page that uses
// the API. It also writes the page as static files ([Site]) or as one file
// ([PageFile]), and serves the page for the leader of a workshop ([Group]).
//
// The API reads the embedded recordings, the user's files, and sources on
// this machine. Its live part starts servers and sends requests through
// an [Engine]. Its workshop part writes a learner's progress. The API
// reports errors as an [Error]. The server refuses requests without its
// token, under another host name, or from a page of another origin.
//
// The HTML, the styles and the scripts of the page belong in package page.
// The trees, comparisons and sentences come from packages view and render.
package web

// Base is the path of the API's group and version, below /apis as in Kubernetes.
const Base = "/apis/apitrace/v1"
