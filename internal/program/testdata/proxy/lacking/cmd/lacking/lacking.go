// Lacking is a program that needs source which its own build generates.
package main

import (
	"fmt"

	"example.org/dep"
	"example.org/lacking/generated"
	_ "example.org/lacking/wish"
)

func main() { fmt.Println(dep.Hello(), generated.Packages) }
