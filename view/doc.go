// Package view selects the parts of a trace that a reader sees, and describes
// them.
//
//   - NewView selects the calls. It folds calls that are not key steps,
//     collapses equal siblings and counts the hidden calls. The result is a
//     tree of Nodes.
//   - Tell divides a view into the sections of a Story, one for each layer that
//     the request reaches.
//   - Sentences describes the decisions about a request. ErrorPathOf finds how
//     the request failed.
//   - NewDifferences and NewSummary describe how two requests differ.
//   - NewTraces and Comparer return plain values in one language: a Trace for a
//     request, a Comparison for a pair of requests.
//
// The text output, the full-screen view and the page draw these values. So all
// three show the same. Layout and drawing are not a task of this package.
package view
