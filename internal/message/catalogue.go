package message

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// chinese is a catalogue in gettext's format: msgid has the English text, msgstr the
// Chinese. Strings are quoted as in Go. Consecutive strings form one text.
//
//go:embed zh.po
var chinese string

// catalogue returns the map from English messages to Chinese messages.
var catalogue = sync.OnceValue(func() map[string]string {
	all, _, err := parse(chinese)
	if err != nil {
		panic("zh.po: " + err.Error()) // impossible, because a test parses zh.po
	}
	return all
})

// parse returns a catalogue's messages, and the English texts with several entries.
// The first entry counts. Only a test rejects duplicates: two changes that add the
// same message must not break every command in Chinese.
func parse(po string) (all map[string]string, twice []string, err error) {
	all = map[string]string{}
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
			twice = append(twice, id)
		} else {
			all[id] = str
		}
		id, str = "", ""
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
				return nil, nil, err
			}
			line, into = rest, &id
		} else if rest, ok := strings.CutPrefix(line, "msgstr "); ok {
			line, into = rest, &str
		}
		text, err := strconv.Unquote(line)
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %s: expected msgid, msgstr or a quoted string", number, line)
		}
		*into += text
	}
	err = end()
	return all, twice, err
}
