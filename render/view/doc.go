// Package view decides what is shown of a trace, without a word on columns or colours.
//
// NewView chooses: it folds the plumbing, collapses equal siblings, and counts what it
// hides; the result is a tree of Nodes. Tell divides it into the sections of a
// Story, one for each layer that the request comes to. Sentences says in words what was
// decided on the way, and ErrorPath how a request failed. Whatever shows traces (text, the
// full-screen terminal, a page) starts from these, so that all of them show the same.
package view
