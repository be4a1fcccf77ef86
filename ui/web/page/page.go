// Package page embeds the page for the browser: the call tree of a request beside the source that ran. The page gets
// its data from the REST API of package ui/web. group.html is the page of somebody who leads a workshop. The files in dist are made from those in src.
package page

import (
	"embed"
	"io/fs"
)

//go:generate go run ./bundle dist

//go:embed dist
var dist embed.FS

// Files returns index.html and group.html, and what they load.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil { // the folder is embedded
		panic(err)
	}
	return files
}
