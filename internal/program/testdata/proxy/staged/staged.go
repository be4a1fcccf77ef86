// Package staged is developed in the repository of the program.
package staged

// Name is what the program prints.
const Name = "staged"
