// Package terminal shows recordings full screen: a tree that can be opened, closed, searched and
// stepped through, with the source, the values and the notes of the selected call beside it.
//
// What is in the tree, in which sections and under which names, is package view's choice, the same as in
// text. All state is in Model and changes only in Update; whatever takes time or touches the
// world goes through a Library or a command of Bubble Tea, so that a test can drive the model without either.
// bindings is the one table of keys: Update, the help and the documentation read it.
package terminal
