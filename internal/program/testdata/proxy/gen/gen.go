// Gen generates the package example.org/lacking/generated in the vendor folder, its
// second argument. The package has a variable with the first argument, a list of
// packages. Like old generators, gen looks for these packages in GOPATH. A missing
// package is an error.
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
