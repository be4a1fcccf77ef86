// Package render draws traces and their comparisons as text.
//
// What is in a view is decided in package view: which steps there are, in which
// sections, under which names, and what was decided where. Here it becomes lines.
// The width decides where lines break, and nothing else.
//
// Whether to use colour or hyperlinks is decided in UseColour and UseHyperlinks;
// the drawing itself never asks for the terminal.
package render
