package render

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// values are the texts of values that a reader has seen on the way to a node, by
// the attribute's name.
type values map[string]string

// with returns the values with others added or replaced.
func (v values) with(texts []valueText) values {
	if len(texts) == 0 {
		return v
	}
	all := values{}
	maps.Copy(all, v)
	for _, t := range texts {
		all[t.name] = t.text
	}
	return all
}

// A valueText is a value as it is written.
type valueText struct{ name, text string }

// values lists what the guide recorded, in the guide's order. For collapsed calls
// each name has all different values, in order of entry. A view that does not show
// everything leaves out what says nothing: empty ones and those already seen above.
func (d *drawing) values(n *Node, above values) []valueText {
	all := map[string][]string{}
	for _, i := range n.Calls {
		for name, value := range d.view.Tree.Call(i).Attributes {
			value = inWords(name, value)
			if (value != "" || d.choice.Full) && !slices.Contains(all[name], value) {
				all[name] = append(all[name], value)
			}
		}
	}
	var texts []valueText
	for _, name := range d.order(n, all) {
		text := oneLine(d.label(name) + "=" + strings.Join(d.short(all[name]), ", "))
		if name == attrSpan || name == attrEvent || !d.choice.Full && d.known(n, name, text, above) {
			continue
		}
		texts = append(texts, valueText{name, text})
	}
	return texts
}

// short returns values as this view writes them, each once.
func (d *drawing) short(values []string) []string {
	if d.choice.Full {
		return values
	}
	var all []string
	for _, value := range values {
		if s := shorten(value); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// label is an attribute's name as it stands in the tree. Only the view of everything
// has room for all of it; another drops what the value can be understood without:
// "verb" of "apitrace.request.verb", "user" of "apitrace.user.name".
func (d *drawing) label(name string) string {
	short := strings.TrimPrefix(name, "apitrace.")
	parts := strings.Split(short, ".")
	last := parts[len(parts)-1]
	switch {
	case d.choice.Full || len(parts) == 1 || last == "key":
		return short
	case last == "type" || last == "name" && parts[0] != "request":
		return parts[len(parts)-2]
	}
	return last
}

// known reports whether a reader knows the value already: from a call above, or
// from the sentence on how the request failed.
func (d *drawing) known(n *Node, name, text string, above values) bool {
	return above[name] == text || name == attrError && d.view.ErrorPath != nil ||
		d.view.ErrorPath.At(n.Calls[0]) != nil && (name == attrReason || name == attrCode)
}

// order puts the names that a node has values for into the guide's order; those
// that the guide does not know follow by name.
func (d *drawing) order(n *Node, all map[string][]string) []string {
	var names []string
	for _, name := range d.guide.Values(d.call(n).Function) {
		if _, ok := all[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var (
	// A type's name with the import path before it, "*k8s.io/api/apps/v1.Deployment".
	// What says too little alone keeps the element before it: a version, and
	// "storage", as the packages of all resources' storages are called.
	typeName = regexp.MustCompile(`(?:[\w.-]+/)+?((?:[\w-]+/)?(?:v\d\w*|storage)\.\w+|[\w-]+\.\w+)$`)
	// A group, version and kind as apimachinery writes it: "apps/v1, Kind=Deployment".
	groupVersionKind = regexp.MustCompile(`^/?(\S*), Kind=(\w+)$`)
)

// shorten writes a value shorter without taking away what tells it from others: a
// type without most of its import path, a group versioner by its target alone.
func shorten(value string) string {
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

// split divides values into those that stand behind the name and those that need
// lines of their own. If not all have room behind the name, they stand on lines of
// their own where the node may have some; else the first stand behind the name, with a
// mark where it goes on.
func (d *drawing) split(texts []valueText, room int, lines bool) (behind string, rest []string) {
	const between, least = "  ", 16 // least: columns that a part of a value is worth
	all := textsOf(texts)
	if len(all) == 0 {
		return "", nil
	}
	behind = between + strings.Join(all, between)
	switch {
	case lipgloss.Width(behind) <= room:
		return behind, nil
	case lines:
		return "", all
	case lipgloss.Width(between+all[0]) > room && room < least:
		return "", nil
	}
	return d.fit(behind, room), nil
}

func textsOf(texts []valueText) []string {
	var all []string
	for _, t := range texts {
		all = append(all, t.text)
	}
	return all
}

// pack puts texts next to each other while they fit, on as many lines as it takes
// or, in a view that is to be short, on one.
func (d *drawing) pack(texts []string, width int) []string {
	const most = 3 // lines of one text
	if d.choice.limited() && len(texts) > 0 {
		return d.clip([]string{strings.Join(texts, "  ")}, 1, width)
	}
	var lines []string
	for _, text := range texts {
		if last := len(lines) - 1; last >= 0 && lipgloss.Width(lines[last])+2+lipgloss.Width(text) <= width {
			lines[last] += "  " + text
			continue
		}
		lines = append(lines, d.clip(wrap(text, width), most, width)...)
	}
	return lines
}

// clip keeps so many lines of a text, none wider than width, and marks where it goes on.
func (d *drawing) clip(lines []string, most, width int) []string {
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = d.fit(lines[most-1], width-lipgloss.Width(d.ellipsis)) + d.ellipsis
	}
	last := len(lines) - 1
	lines[last] = d.fit(lines[last], width)
	return lines
}
