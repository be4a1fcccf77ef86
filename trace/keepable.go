package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A RequestError reports that one request cannot be recorded. It does not affect others.
type RequestError struct {
	Method, Path string
	Err          error
}

func (e *RequestError) Error() string { return e.message().String() }

// Localize returns the error in the printer's language.
func (e *RequestError) Localize(p message.Printer) string { return e.message().Localize(p) }

func (e *RequestError) message() message.Message {
	return message.Of("recording %s %s: %v", e.Method, e.Path, e.Err)
}

// Unwrap returns the reason why the request cannot be recorded.
func (e *RequestError) Unwrap() error { return e.Err }

// KeepableText returns a client's text as a recording can hold it. Bytes that are
// not UTF-8 become \xNN.
func KeepableText(s string) string {
	return replaceRunes(s, `\x%02x`, func(rune) bool { return false })
}

// KeepablePath returns a URL path with its query as a recording can hold it. Bytes
// that are not UTF-8, and control characters, are percent-encoded. For a server,
// this is the same path.
func KeepablePath(s string) string { return replaceRunes(s, "%%%02X", unicode.IsControl) }

// replaceRunes formats each byte of invalid UTF-8, and each byte of the runes
// that bad selects.
func replaceRunes(s, format string, bad func(rune) bool) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, bad) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || bad(r) {
			for _, b := range []byte(s[:size]) {
				fmt.Fprintf(&out, format, b)
			}
		} else {
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}
