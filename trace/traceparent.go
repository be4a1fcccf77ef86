package trace

import (
	"crypto/rand"
	"encoding/hex"
)

// NewTraceID makes a random W3C trace id: 32 lower-case hexadecimal digits.
func NewTraceID() string { return randomHex(16) }

// Traceparent returns the value of the traceparent header for a traced request.
// It has the trace id, a random span id for the client, and the sampled flag.
func Traceparent(traceID string) string { return "00-" + traceID + "-" + randomHex(8) + "-01" }

// randomHex returns n random bytes as lower-case hexadecimal digits, two for each byte.
func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
