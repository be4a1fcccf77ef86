package trace

import "regexp"

// kept matches a value in a request's path that differs in each run. A recording has the path
// as in the scenario's file, with the value's name (scenarios.HTTP).
var kept = regexp.MustCompile(`(resourceVersion=)?\$\{[^}]*\}`)

// storeWatch receives the resource version from which on a request watches.
const storeWatch = "k8s.io/apiserver/pkg/registry/generic/registry.(*Store).Watch"

// SentPath returns the path as it was sent. Instead of a value that the recording does not
// know, it has "…".
func (r *Request) SentPath() string {
	return kept.ReplaceAllStringFunc(r.Path, func(part string) string {
		name := kept.FindStringSubmatch(part)[1]
		if name != "" {
			for i := range r.Calls {
				if version := r.Calls[i].Attributes[AttrResourceVersion]; version != "" && r.Calls[i].Function == storeWatch {
					return name + version
				}
			}
		}
		return name + "…"
	})
}

// AnyPath returns the path with "…" for each value that differs in each run.
func (r *Request) AnyPath() string { return kept.ReplaceAllString(r.Path, "${1}…") }
