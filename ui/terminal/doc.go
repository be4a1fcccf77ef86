// Package terminal shows recordings full screen. The user opens, closes,
// searches and steps through a tree. Beside it are the source, the values and
// the notes of the selected call. If a recording has what its requests caused, its
// story comes first, and the lines of the story lead to the trees.
//
// All state is in Model and changes only in Update. Slow work and side effects
// go through a Library or a command of Bubble Tea, so tests can drive the model
// without them. The tables groups, storyGroup and requestBindings have the keys of
// the tree, the story and the list: Update, the help and the documentation read them.
//
// Package view chooses the content of the tree, its sections and its names, as it
// does for "apitrace show".
package terminal
