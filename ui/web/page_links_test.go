package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestPageLinksSurviveANewRecording copies the addresses of a position and of a
// source line. It opens both on a recording in which the calls have other numbers.
func TestPageLinksSurviveANewRecording(t *testing.T) {
	_, file := renumbered(t)
	server := start(t, web.Options{Files: []web.File{file}})
	onOther := func(link string) string { return strings.Replace(link, "/get-node/", "/"+file.Name+"/", 1) }
	number := func(b *tab) int {
		return js[int](b, "parseInt(document.querySelector('.player .at').textContent.replace(/^Step |,/g, ''))")
	}

	b := open(t, server, "#/v1.37.1/get-node/1?at=entered&call="+escape(storeGet), 1280)
	b.is(position + " === 'At the beginning of etcd3.(*store).Get.'")
	b.press("s")
	b.is(position + ".includes(': about to call ')")
	link, said := js[string](b, "location.hash"), js[string](b, position)
	other := open(t, server, onOther(link), 1280)
	other.is(fmt.Sprintf("%s === %q", position, said))
	if was, is := number(b), number(other); is <= was {
		t.Errorf("the position has the number %d, and %d in the recording with one more call, expected a greater number", was, is)
	}

	line := js[string](b, "document.querySelector('.l.control .no').textContent")
	link = "#/v1.37.1/get-node/1?call=" + escape(storeGet) + "&line=" + line
	for _, address := range []string{link, onOther(link)} {
		b := open(t, server, address, 1280)
		b.is("document.querySelector('.l.here .no')?.textContent === '" + line + "'")
	}
}
