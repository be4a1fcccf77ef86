package view

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	// A type's name with its import path, "*k8s.io/api/apps/v1.Deployment". If the
	// last element is a version or "storage", the name keeps the element before
	// it, because many packages end in such an element.
	typeName = regexp.MustCompile(`(?:[\w.-]+/)+?((?:[\w-]+/)?(?:v\d\w*|storage)\.\w+|[\w-]+\.\w+)$`)
	// A group, version and kind in the format of apimachinery: "apps/v1, Kind=Deployment".
	groupVersionKind = regexp.MustCompile(`^/?(\S*), Kind=(\w+)$`)
)

// Shorten shortens a value unambiguously. A type loses most of its import path.
// A group versioner, recorded as JSON, is replaced by its target.
func Shorten(value string) string {
	if strings.HasPrefix(value, "{") {
		var versioner struct{ Target string }
		if json.Unmarshal([]byte(value), &versioner) == nil && versioner.Target != "" {
			return versioner.Target
		}
	}
	if m := groupVersionKind.FindStringSubmatch(value); m != nil {
		return strings.TrimSpace(m[1] + " " + m[2])
	}
	pointer, name := "", value
	if strings.HasPrefix(value, "*") {
		pointer, name = "*", value[1:]
	}
	if m := typeName.FindStringSubmatch(name); m != nil && len(m[0]) == len(name) {
		return pointer + m[1]
	}
	return value
}
