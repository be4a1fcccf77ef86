package program

import "path/filepath"

// Log returns the path of what the go command said in a build. It need not exist.
func (e Entry) Log() string { return filepath.Join(e.Dir, logFile) }
