// Gen writes a variable with its first argument to the package example.org/lacking/generated
// below the folder of the second one. As generators of old do, it finds packages by GOPATH:
// a package that asks for "+wish=" but is not there is an error.
package main

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	for _, pkg := range strings.Split(os.Args[1], ",") {
		if _, err := build.Import(pkg, "", build.FindOnly); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	file := filepath.Join(os.Args[2], "example.org", "lacking", "generated", "zz_generated.go")
	text := fmt.Sprintf("package generated\n\nvar Packages = %q\n", os.Args[1])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
