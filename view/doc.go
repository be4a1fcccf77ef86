// Package view decides what to show of a trace, independent of columns and drawing.
//
// NewView selects the calls: it folds the plumbing, collapses equal siblings, and counts the
// calls that it hides; the result is a tree of Nodes. Tell divides it into the sections of a
// Story, one for each layer that the request reaches. Sentences describes the decisions on
// the way, and ErrorPath how a request failed. Text, the full-screen view and the page all
// draw these, so that they show the same.
package view
