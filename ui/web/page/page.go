// Package page embeds the pages for the browser. index.html
// shows the call tree of a request beside the source that
// ran. It gets its data from the REST API of package ui/web.
// group.html is the page for the leader of a workshop.
//
// The files in dist are built from the files in src by "go generate".
// Go code that serves or fills the pages belongs in package ui/web.
package page

import (
	"embed"
	"io/fs"
)

//go:generate go run ./bundle dist

//go:embed dist
var dist embed.FS

// Files returns index.html, group.html, and the files that they load.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil { // the folder is embedded
		panic(err)
	}
	return files
}
