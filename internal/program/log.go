package program

import "path/filepath"

// Log returns the path of the log file of a build. The file may be missing.
func (e Entry) Log() string { return filepath.Join(e.Dir, logFile) }
