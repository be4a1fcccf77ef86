package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/ui/web"
)

// TestBrokenUploadsAreExplained uploads files that are not recordings.
func TestBrokenUploadsAreExplained(t *testing.T) {
	address := start(t, web.Options{})
	whole := handmade(t)
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"binary", "\x1f\x8b\x08\x00\xff", "is not UTF-8 text"},
		{"text", "hello", "this is not a recording: expected"},
		{"other JSON", `{"kind":"Pod"}`, "holds no request"},
		{"list", `[1,2]`, "this is not a recording: expected"},
		{"cut", whole[:len(whole)/2], "the file is truncated"},
		{"spans without functions", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"GET","startTimeUnixNano":"1","endTimeUnixNano":"2"}]}]}]}`, "expected at least one with \\\"code.function.name\\\""},
		{"no spans", `{"resourceSpans":[]}`, "there is no span in it"},
	} {
		response, body := sendBody(t, http.MethodPost, address+web.Base+"/uploads?name=mine.json", "", func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(test.text)), int64(len(test.text))
		})
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), test.want) {
			t.Errorf("%s: got the status %s: %s", test.name, response.Status, body)
		}
		checkError(t, test.name, response, body)
	}
}

// TestTooLargeUploadIsRefused announces a body that is one
// byte too large. The server must refuse it before it is sent.
func TestTooLargeUploadIsRefused(t *testing.T) {
	address := start(t, web.Options{})
	most := liveState(t, address).Limits.UploadBytes
	connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST %s/uploads?name=big.json HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		web.Base, strings.TrimPrefix(address, "http://"), token, most+1)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer := new(strings.Builder)
	if _, err := bufio.NewReader(response.Body).WriteTo(answer); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(answer.String(), fmt.Sprintf("at most %d are accepted", most)) {
		t.Errorf("got the status %s: %s, expected 413 with the maximum size", response.Status, answer)
	}
	checkError(t, "a large upload", response, []byte(answer.String()))
}

// TestUploadedNameIsEscaped uploads a file with a terminal escape
// sequence and a character that reverses the text direction in its name.
func TestUploadedNameIsEscaped(t *testing.T) {
	address := start(t, web.Options{})
	response, body := sendBody(t, http.MethodPost, address+web.Base+"/uploads?name="+url.QueryEscape("\x1b[31m<b>\u202e.json"), handmade(t), nil)
	if response.StatusCode != http.StatusCreated && response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", response.Status, body)
	}
	if traces := liveState(t, address).Traces; len(traces) != 1 || traces[0].Title != `\x1b[31m<b>\u202e.json` {
		t.Errorf("the live recordings are %+v, expected one with the escaped name", traces)
	}
}

// TestFilesAreDroppedOnThePage drops files with the mouse: a recording in the drop
// area, another one outside of it, a broken file, and a file that is too large.
func TestFilesAreDroppedOnThePage(t *testing.T) {
	address := start(t, web.Options{})
	b := open(t, address, "#/servers", 1280)
	b.until("document.querySelector('.drop')")
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	drop := func(selector, path string) {
		t.Helper()
		at := js[[]float64](b, fmt.Sprintf("(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()", selector))
		data := &input.DragData{Items: []*input.DragDataItem{}, Files: []string{path}, DragOperationsMask: 1}
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			if kind == input.DispatchDragEventTypeDrop {
				b.until("document.querySelector('.drop.over')")
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at[0], Y: at[1], Data: data}); err != nil {
				t.Fatal(err)
			}
		}
		b.until("!document.querySelector('.drop.over')")
	}
	drop(".drop", file("mine.json", handmade(t)))
	b.until(live("upload") + ".querySelector('.outcome a')?.textContent === 'mine.json'")
	drop("#traces", file("beside.json", handmade(t)))
	b.until(live("upload") + ".querySelector('.outcome a')?.textContent === 'beside.json'")
	drop(".drop", file("broken.json", handmade(t)[:200]))
	b.until("document.querySelector('.problem')?.textContent.includes('the file is truncated')")
	b.forgive("the server responded with a status of 400")
	large := file("large.json", "")
	if err := os.Truncate(large, liveState(t, address).Limits.UploadBytes+1); err != nil {
		t.Fatal(err)
	}
	drop(".drop", large)
	b.until("document.querySelector('.problem')?.textContent.includes('at most 192 MB')")
	b.until("document.querySelectorAll('tbody tr').length === 2")
	b.click("document.querySelector('tbody a')")
	b.until("document.querySelector('.tree')")
}
