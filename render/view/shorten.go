package view

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	// A type's name with the import path before it, "*k8s.io/api/apps/v1.Deployment".
	// What says too little alone keeps the element before it: a version, and
	// "storage", as the packages of all resources' storages are called.
	typeName = regexp.MustCompile(`(?:[\w.-]+/)+?((?:[\w-]+/)?(?:v\d\w*|storage)\.\w+|[\w-]+\.\w+)$`)
	// A group, version and kind as apimachinery writes it: "apps/v1, Kind=Deployment".
	groupVersionKind = regexp.MustCompile(`^/?(\S*), Kind=(\w+)$`)
)

// Shorten writes a value shorter without taking away what tells it from others: a
// type without most of its import path, a group versioner by its target alone.
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
