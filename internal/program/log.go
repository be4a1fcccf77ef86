package program

import "path/filepath"

// Log returns the path of the go command's output. The file need not exist.
func (e Entry) Log() string { return filepath.Join(e.Dir, logFile) }
