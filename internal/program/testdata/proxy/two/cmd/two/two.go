// Command two has a package main of two files that imports an internal package.
package main

import "fmt"

func main() { fmt.Println(text()) }
