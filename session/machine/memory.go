package machine

import (
	"runtime"
	"runtime/debug"
)

// SaveMemory lets Go collect garbage when memory has grown by half, unless the user
// sets GOGC. Most commands hold one or two recordings, and a loaded recording hardly
// changes. By default Go lets memory grow to twice the size in use. Growth by half
// costs 5 % of the time in a full view of 300,000 calls.
//
// The first collection waits until memory has reached 16 MB. With 50 percent from the
// beginning, Go would start at 2 MB and collect fourteen times before the first
// recording is loaded. That takes a tenth of a short command's time.
func SaveMemory(getenv func(string) string) {
	if getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400) // of Go's minimum heap of 4 MB
	// The first collection finds this object to be garbage, and runs its cleanup. The
	// object has more than 16 bytes, because Go combines smaller objects in one
	// block, which lives as long as any of them is used.
	first := new([64]byte)
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, 50)
}
