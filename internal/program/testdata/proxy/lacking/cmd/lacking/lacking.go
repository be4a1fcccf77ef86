// Lacking is a program with source that its module lacks, because its own build generates it.
package main

import (
	"fmt"

	"example.org/dep"
	"example.org/lacking/generated"
	_ "example.org/lacking/wish"
)

func main() { fmt.Println(dep.Hello(), generated.Packages) }
