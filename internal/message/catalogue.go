package message

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// chinese is a catalogue in the format of gettext: msgid has the English text, msgstr the
// Chinese; strings are quoted as in Go, and one that is followed by another goes on there.
//
//go:embed zh.po
var chinese string

// catalogue returns the Chinese messages by their English text.
var catalogue = sync.OnceValue(func() map[string]string {
	all, err := parse(chinese)
	if err != nil {
		panic("zh.po: " + err.Error()) // a test reads it
	}
	return all
})

func parse(po string) (map[string]string, error) {
	all := map[string]string{}
	var id, str string
	into := &id
	number := 0
	end := func() error {
		if id == "" && str == "" {
			return nil
		}
		if id == "" || str == "" {
			return fmt.Errorf("line %d: entry %q %q: expected a msgid and a msgstr", number, id, str)
		}
		if _, ok := all[id]; ok {
			return fmt.Errorf("line %d: %q is there twice", number, id)
		}
		all[id], id, str = str, "", ""
		return nil
	}
	for line := range strings.Lines(po) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "msgid "); ok {
			if err := end(); err != nil {
				return nil, err
			}
			line, into = rest, &id
		} else if rest, ok := strings.CutPrefix(line, "msgstr "); ok {
			line, into = rest, &str
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: expected msgid, msgstr or a quoted string", number, line)
		}
		*into += text
	}
	return all, end()
}
