package funcname

import "strings"

// Packages names one package, or all packages at and below an import path.
type Packages struct {
	Path      string
	Recursive bool // also the packages below Path
}

// below at the end of the text of Packages stands for Recursive.
const below = "/..."

// ParsePackages parses an import path, with or without "/..." at its end. It does not
// check the path.
func ParsePackages(text string) Packages {
	path, recursive := strings.CutSuffix(text, below)
	return Packages{path, recursive}
}

// String returns the text that ParsePackages parses.
func (p Packages) String() string {
	if p.Recursive {
		return p.Path + below
	}
	return p.Path
}

// Has reports whether p names the package.
func (p Packages) Has(pkg string) bool {
	return pkg == p.Path || p.Recursive && strings.HasPrefix(pkg, p.Path+"/")
}
