// Package view selects the parts of a trace that a reader sees, and describes
// them.
//
//   - NewView selects the calls. It folds the plumbing, collapses equal
//     siblings and counts the hidden calls. The result is a tree of Nodes.
//   - Tell divides a view into the sections of a Story, one for each layer that
//     the request reaches.
//   - Sentences describes the decisions on the way of a request, ErrorPathOf
//     how the request failed.
//   - NewDifferences and NewSummary describe how two requests differ.
//   - NewTraces and Comparer put all of that into plain values in one language:
//     a Trace for a request, a Comparison for a pair of requests.
//
// Text, the full-screen view and the page all draw these data, so they show the
// same. Layout and drawing belong to them, not to this package.
package view
