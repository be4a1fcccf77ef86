// Package terminal shows recordings full screen: a tree that can be opened, closed, searched and
// stepped through, with the source, the values and the notes of the selected call beside it.
//
// Package view decides on the content of the tree, its sections and its names, the same as in text. All state
// is in Model and changes only in Update. Slow work and side effects go through a Library or a command of
// Bubble Tea, so that tests can drive the model without them. bindings is the only table of keys: Update, the
// help and the documentation read it.
package terminal
