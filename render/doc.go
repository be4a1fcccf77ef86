// Package render shows traces to people.
//
// What is in a view and how it is drawn are two things. NewView chooses: it
// folds the plumbing, collapses equal siblings, and counts what it hides; the
// result is a tree of Nodes without a word on columns or colours. WriteTree
// draws such a view as text. Anything else that shows traces starts from a View.
//
// Whether to use colour or hyperlinks is decided in UseColour and UseHyperlinks;
// the drawing itself never asks for the terminal.
package render
