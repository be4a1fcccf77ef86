package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// WriteYAML writes the recording as YAML, with the fields of trace.WriteJSON in the same
// order. It writes the calls one by one and without the encoder, which would need 80 s
// and 7 GB for the recording of a program's start.
func WriteYAML(w io.Writer, rec *trace.Recording) error {
	if err := rec.Validate(); err != nil {
		return message.Errorf("writing YAML: %w", err)
	}
	out := bufio.NewWriter(w)
	y := &yamlWriter{out: out, known: map[string]string{}}
	if err := y.recording(rec); err != nil {
		return message.Errorf("writing YAML: %w", err)
	}
	return out.Flush()
}

// WriteYAML replaces these lines by the requests and by the calls of a request. A
// text of several lines is indented more deeply than its key, so none of its lines
// equals these.
const (
	emptyRequests = "requests: []\n"
	emptyCalls    = "\n  calls: []\n"
)

// A yamlWriter writes a recording in the same form as the encoder.
type yamlWriter struct {
	out *bufio.Writer
	// known has, by text, its YAML as the value of a key at the beginning of a line.
	known map[string]string
}

func (y *yamlWriter) recording(rec *trace.Recording) error {
	head := *rec
	head.Requests = []trace.Request{}
	text, err := encodeYAML(head)
	if err != nil {
		return err
	}
	y.out.WriteString(strings.TrimSuffix(text, emptyRequests) + "requests:\n")
	for i := range rec.Requests {
		if err := y.request(&rec.Requests[i]); err != nil {
			return err
		}
	}
	return nil
}

func (y *yamlWriter) request(r *trace.Request) error {
	head := *r
	head.Calls = []trace.Call{}
	text, err := encodeYAML([]trace.Request{head})
	if err != nil {
		return err
	}
	before, after, _ := strings.Cut(text, emptyCalls)
	y.out.WriteString(indented(before, "  ") + "\n    calls:\n")
	for i := range r.Calls {
		if err := y.call(&r.Calls[i]); err != nil {
			return err
		}
	}
	y.out.WriteString(indented(after, "  "))
	return nil
}

// call writes the fields of trace.Call, named by their tags.
func (y *yamlWriter) call(c *trace.Call) error {
	const first, next = "      - ", "        "
	err := errors.Join(y.text(first+"id: ", c.ID, next), y.text(next+"parent: ", c.Parent, next),
		y.text(next+"function: ", c.Function, next), y.text(next+"file: ", c.File, next))
	y.number(next+"line: ", int64(c.Line))
	y.number(next+"callerLine: ", int64(c.CallerLine))
	err = errors.Join(err, y.text(next+"process: ", c.Process, next))
	y.line(next+"goroutine: ", strconv.FormatUint(c.Goroutine, 10))
	y.flag(next+"newGoroutine: ", c.NewGoroutine)
	y.number(next+"startNs: ", c.StartNs)
	y.number(next+"durationNs: ", c.DurationNs)
	y.flag(next+"leaf: ", c.Leaf)
	y.flag(next+"unfinished: ", c.Unfinished)
	err = errors.Join(err, y.text(next+"error: ", c.Error, next))
	if c.Panic != "" {
		err = errors.Join(err, y.text(next+"panic: ", c.Panic, next))
	}
	return errors.Join(err, y.attributes(c.Attributes, next))
}

func (y *yamlWriter) attributes(all map[string]string, indent string) error {
	names := slices.Sorted(maps.Keys(all))
	if len(names) == 0 {
		y.line(indent, "attributes: {}")
		return nil
	}
	if !slices.ContainsFunc(names, func(name string) bool { return !isPlain(name) || len(name) > 100 }) {
		y.line(indent, "attributes:")
		for _, name := range names {
			if err := y.text(indent+"  "+name+": ", all[name], indent+"  "); err != nil {
				return err
			}
		}
		return nil
	}
	text, err := encodeYAML(map[string]any{"attributes": all})
	y.out.WriteString(indented(text, indent))
	return err
}

// text writes a line with a key and a text. lead is the line up to the text. indent
// is the key's indentation.
func (y *yamlWriter) text(lead, text, indent string) error {
	is, err := y.scalar(text)
	if strings.ContainsAny(is, breaks) {
		is = strings.TrimPrefix(indented(is, indent), indent)
	}
	y.line(lead, is)
	return err
}

func (y *yamlWriter) line(lead, rest string) {
	y.out.WriteString(lead)
	y.out.WriteString(rest)
	y.out.WriteByte('\n')
}

func (y *yamlWriter) number(lead string, n int64) { y.line(lead, strconv.FormatInt(n, 10)) }

// flag writes a boolean field, if it is set.
func (y *yamlWriter) flag(lead string, set bool) {
	if set {
		y.line(lead, "true")
	}
}

// scalar returns a text's YAML. Most texts are plain. It caches the YAML of other
// texts, because most of them occur many times.
func (y *yamlWriter) scalar(text string) (string, error) {
	switch {
	case isPlain(text):
		return text, nil
	case isDigits(text):
		return `"` + text + `"`, nil
	}
	if is, ok := y.known[text]; ok {
		return is, nil
	}
	is, err := encodeYAML(map[string]string{"k": text})
	is = strings.TrimSuffix(strings.TrimPrefix(is, "k: "), "\n")
	y.known[text] = is
	return is, err
}

// isPlain reports whether a text certainly needs no quotes: it has no character with
// a meaning in YAML, and is not a special word or a number. A hexadecimal ID with
// digits and an "e" may be a number, such as 1e3.
func isPlain(text string) bool {
	const longest = 5 // length of the longest special word, false
	hex := len(text) == 16
	letter := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == 'a', c == 'c', c == 'd', c == 'f':
			letter = true
		case c >= '0' && c <= '9', c == 'b', c == 'e':
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '/', c == '.', c == '_', c == '(', c == ')', c == '*', c == '-':
			hex = false
		default:
			return false
		}
	}
	if hex && letter {
		return true
	}
	return len(text) > longest && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z' || text[0] == '/')
}

// isDigits reports whether a text has only digits, from 1 to 18. Readers of YAML
// would take it for a number.
func isDigits(text string) bool {
	return text != "" && len(text) <= 18 && strings.Trim(text, "0123456789") == ""
}

// breaks are the line breaks of YAML 1.1.
const breaks = "\n\u0085\u2028\u2029"

// indented indents each line that is not empty.
func indented(text, indent string) string {
	var out strings.Builder
	starts := true // at the start of a line
	for _, r := range text {
		isBreak := strings.ContainsRune(breaks, r)
		if starts && !isBreak {
			out.WriteString(indent)
		}
		out.WriteRune(r)
		starts = isBreak
	}
	return out.String()
}

// encodeYAML returns a value's YAML, with the fields of its JSON in the same order.
func encodeYAML(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	node, err := nextNode(decoder)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(node); err != nil {
		return "", err
	}
	err = encoder.Close()
	return out.String(), err
}

// nextNode returns the next JSON value as a YAML node. It keeps the order of fields,
// unlike maps.
func nextNode(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{}
	switch token := token.(type) {
	case json.Delim:
		node.Kind = yaml.MappingNode
		if token == '[' {
			node.Kind = yaml.SequenceNode
		}
		for decoder.More() { // keys and values alternate in an object
			child, err := nextNode(decoder)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle // {} and []
		}
		_, err = decoder.Token()
		return node, err
	case json.Number:
		node.Kind, node.Tag, node.Value = yaml.ScalarNode, "!!int", token.String()
		return node, nil
	default:
		return node, node.Encode(token)
	}
}
