// Package terminal shows recordings full screen. The user opens, closes,
// searches and steps through a tree. Beside it are the source, the values and
// the notes of the selected call.
//
// All state is in Model and changes only in Update. Slow work and side effects
// go through a Library or a command of Bubble Tea, so tests can drive the model
// without them. bindings is the only table of keys: Update, the help and the
// documentation read it.
//
// The content of the tree, its sections and its names do not belong here: package
// view decides on them, as it does for text.
package terminal
