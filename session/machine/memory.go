package machine

import (
	"runtime"
	"runtime/debug"
)

// SaveMemory lets Go collect garbage when memory has grown by half, unless the user's environment sets GOGC. Most commands hold one or
// two recordings, and a loaded recording hardly changes. By default Go lets memory grow to twice of what is in use; half of that costs
// 5 % of the time in a full view of 300,000 calls.
//
// Go first collects at 16 MB. From 2 MB on, as by half, it would collect fourteen times before the first recording
// is loaded, which takes a tenth of the time of a short command.
func SaveMemory(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400) // of 4 MB
	// Garbage that the first collection finds. Go keeps objects of less than 16 bytes together with others.
	first := new([64]byte)
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, 50)
}
