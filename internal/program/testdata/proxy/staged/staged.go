// Package staged is developed in the repository of the program.
package staged

// Name is a part of the program's output.
const Name = "staged"
