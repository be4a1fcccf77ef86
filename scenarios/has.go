package scenarios

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// valueAt returns the value at a place of a JSON value, such as "metadata.name" or
// "items.0.status.phase". It returns nil if there is none.
func valueAt(at any, place string) any {
	for field := range strings.SplitSeq(place, ".") {
		switch in := at.(type) {
		case map[string]any:
			at = in[field]
		case []any:
			i, err := strconv.Atoi(field)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	return at
}

// textAt returns the value at a place as HTTP.Has writes it: a string unchanged, other values
// as JSON, and "" for no value.
func textAt(answer any, place string) string {
	switch value := valueAt(answer, place).(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		text, err := json.Marshal(value)
		if err != nil {
			panic(err) // it comes from JSON
		}
		return string(text)
	}
}

// lacks returns the first place where the answer does not have the value of h.Has, with the
// value that it has, or "".
func (h *HTTP) lacks(answer []byte) (place, found string) {
	if len(h.Has) == 0 {
		return "", ""
	}
	var at any
	_ = json.Unmarshal(answer, &at) // an answer that is not JSON has no values
	for _, place := range slices.Sorted(maps.Keys(h.Has)) {
		if found := textAt(at, place); found != h.Has[place] {
			return place, found
		}
	}
	return "", ""
}

// having completes the description of an awaited answer by h.Has.
func (h *HTTP) having() message.Message {
	if len(h.Has) == 0 {
		return message.Message{}
	}
	var all []string
	for _, place := range slices.Sorted(maps.Keys(h.Has)) {
		all = append(all, strconv.Quote(place)+": "+strconv.Quote(h.Has[place]))
	}
	return message.Of(", with %s", message.List(all))
}
