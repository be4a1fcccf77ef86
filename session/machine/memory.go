package machine

import "runtime/debug"

// SaveMemory lets Go collect garbage when memory has grown by half, unless the user's environment sets GOGC. Most commands hold one or
// two recordings, and a loaded recording hardly changes. By default Go lets memory grow to twice of what is in use; half of that costs
// 5 % of the time in a full view of 300,000 calls.
func SaveMemory(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}
