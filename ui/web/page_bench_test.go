package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
	"github.com/kubeapitrace/apitrace/ui/web/page"
)

// pageSize returns the size of the compressed
// files of the page in bytes, without data.
func pageSize(t testing.TB) int {
	t.Helper()
	size := 0
	err := fs.WalkDir(page.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(page.Files(), name)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		out := gzip.NewWriter(&packed)
		if _, err := out.Write(text); err != nil {
			return err
		}
		if err := out.Close(); err != nil {
			return err
		}
		size += packed.Len()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// TestPageIsSmall limits the page to the promised size: 250 kB compressed.
func TestPageIsSmall(t *testing.T) {
	if size := pageSize(t); size > 250_000 {
		t.Errorf("the page has %d bytes compressed, expected at most 250,000", size)
	}
}

// BenchmarkPageSize reports the size that TestPageIsSmall limits.
func BenchmarkPageSize(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(pageSize(b))/1000, "kB")
	}
}

// readable is an expression that is true when the page
// shows the sections and the first steps of a request.
func readable(request string) string {
	return fmt.Sprintf("document.querySelector('h1')?.textContent.includes(%q) && document.querySelectorAll('.tree .row.step').length > 5", request)
}

var clicks = []struct{ scenario, request string }{{"get-node", "GET /api/v1/nodes/n1"}, {"boot", "START kube-apiserver"}}

// after defines the function seen. It waits until there returns true and the next
// frame is drawn. It returns the milliseconds since begin.
const after = `const seen = (begin, there) => new Promise((done) => {
	const look = () => requestAnimationFrame(() => there() ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin))) : look());
	look();
})`

// BenchmarkPageOpens reports the time from opening an address to a
// readable tree. The server and the tab are new, and nothing is loaded.
func BenchmarkPageOpens(b *testing.B) {
	for _, click := range clicks {
		b.Run(click.scenario, func(b *testing.B) {
			total := 0.0
			for b.Loop() {
				server := start(b, web.Options{})
				t := openAt(b, "about:blank", server+"/", 1280)
				script := fmt.Sprintf("%s; window.opened = seen(0, () => %s);", after, readable(click.request))
				if _, err := chromedp.Call(t.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
					b.Fatal(err)
				}
				t.do(chromedp.Navigate(server + "/?token=" + token + "#/latest/" + click.scenario + "/1"))
				total += js[float64](t, "window.opened")
			}
			b.ReportMetric(total/float64(b.N), "ms/open")
		})
	}
}

// BenchmarkPageClick reports the time from the choice of a scenario to
// its readable tree. The server has not loaded the scenario before.
func BenchmarkPageClick(b *testing.B) {
	for _, click := range clicks {
		b.Run(click.scenario, func(b *testing.B) {
			total := 0.0
			for b.Loop() {
				t := open(b, start(b, web.Options{}), "#/latest/list-nodes/1", 1280)
				t.until("document.querySelectorAll('.tree .row.step').length > 5")
				t.until(fmt.Sprintf("[...document.querySelector('select.scenario').options].some((o) => o.value === %q)", click.scenario))
				total += js[float64](t, fmt.Sprintf(`(() => { %s; const begin = performance.now(), s = document.querySelector('select.scenario');
					s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); return seen(begin, () => %s); })()`, after, click.scenario, readable(click.request)))
			}
			b.ReportMetric(total/float64(b.N), "ms/click")
		})
	}
}

// A task is a piece of work of the page's main
// thread. No frame is drawn before it ends.
type task struct {
	wall, cpu time.Duration
}

// A traceEvent is an event of Chromium's tracing.
type traceEvent struct {
	Name  string  `json:"name"`
	PID   int     `json:"pid"`
	TID   int     `json:"tid"`
	Phase string  `json:"ph"`
	Dur   float64 `json:"dur"`  // microseconds
	CPU   float64 `json:"tdur"` // microseconds of the thread alone
	Args  struct {
		Name string `json:"name"`
		Data struct {
			IsMain bool `json:"isOutermostMainFrame"`
			Frames []struct {
				PID int `json:"processId"`
			} `json:"frames"`
		} `json:"data"`
		Dumps struct {
			Totals struct {
				Private string `json:"private_footprint_bytes"` // hexadecimal
			} `json:"process_totals"`
		} `json:"dumps"`
	} `json:"args"`
}

// traced returns the trace events of Chromium while do runs.
func (b *tab) traced(do func(), categories ...string) []traceEvent {
	b.Helper()
	var mu sync.Mutex
	var events []traceEvent
	complete := make(chan bool, 1)
	if err := chromedp.Listen(b.ctx, func(event any) {
		switch event := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, value := range event.Value {
				var one traceEvent
				if json.Unmarshal(value, &one) == nil { // other events have different arguments
					events = append(events, one)
				}
			}
		case *tracing.EventTracingComplete:
			select {
			case complete <- event.DataLossOccurred:
			default:
			}
		}
	}); err != nil {
		b.Fatal(err)
	}
	categories = append(categories, "__metadata")
	if _, err := chromedp.Call(b.ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: categories, ExcludedCategories: []string{"*"}}}); err != nil {
		b.Fatal(err)
	}
	do()
	if _, err := chromedp.Call(b.ctx, tracing.End, cdp.Empty{}); err != nil {
		b.Fatal(err)
	}
	select {
	case lost := <-complete:
		if lost {
			b.Error("Chromium has lost parts of its trace")
		}
	case <-b.ctx.Done():
		b.Fatal(b.ctx.Err())
	}
	mu.Lock()
	defer mu.Unlock()
	return events
}

// tasks returns the tasks of the page's main
// thread while do runs, the slowest task first.
func (b *tab) tasks(do func()) []task {
	b.Helper()
	events := b.traced(do, "toplevel")
	type thread struct{ pid, tid int }
	main := map[thread]bool{}
	for _, e := range events {
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			main[thread{e.PID, e.TID}] = true
		}
	}
	var tasks []task
	for _, e := range events {
		if e.Name == "ThreadControllerImpl::RunTask" && e.Phase == "X" && main[thread{e.PID, e.TID}] {
			tasks = append(tasks, task{time.Duration(e.Dur * 1000), time.Duration(e.CPU * 1000)})
		}
	}
	slices.SortFunc(tasks, func(a, b task) int { return int(b.cpu - a.cpu) })
	if len(tasks) == 0 {
		b.Fatalf("Chromium's trace of %d events has no task of the page", len(events))
	}
	return tasks
}

// scroll scrolls through a list frame by frame: first
// like a wheel, then like a dragged scroll bar.
const scroll = `new Promise((done) => {
	const list = document.querySelector('.all'); let n = 0;
	const frame = () => { list.scrollTop += n < 120 ? 240 : n < 180 ? 700 : 60000; n++ < 220 ? requestAnimationFrame(frame) : setTimeout(() => done(n), 300); };
	requestAnimationFrame(frame);
})`

// search types into the search field and opens hits in the start of the server.
const search = `(async () => {
	const until = async (there) => { for (;;) { const is = there(); if (is) return is; await new Promise((go) => setTimeout(go, 10)); } };
	const pause = () => new Promise((go) => setTimeout(go, 300));
	let n = 0;
	for (const text of ['InstallAPIGroup', 'forbidden', 'NewStore', 'group=apps']) {
		const input = document.querySelector('.search input');
		input.focus();
		for (const letter of text) { document.execCommand('insertText', false, letter); await new Promise((go) => requestAnimationFrame(go)); }
		input.form.requestSubmit();
		await until(() => document.querySelector('.found h1')?.textContent.includes(text));
		await pause();
		const place = [...document.querySelectorAll('.places .link')].find((p) => p.textContent.startsWith('boot '));
		if (place) { place.click(); await until(() => location.hash.includes('/boot/') && document.querySelector('.tree [aria-selected=true]')); n++; await pause(); }
	}
	return n;
})()`

// BenchmarkPageFrames reports the slowest task of the page's main thread
// while the start of a server is scrolled and searched. This is the largest
// request, and no frame is drawn before a task ends. cpu-ms is the CPU time
// of the thread, so it does not depend on other work of the machine.
func BenchmarkPageFrames(b *testing.B) {
	for _, test := range []struct{ name, view, ready, script string }{
		{"scroll", "?view=calls", "document.querySelectorAll('.row.flat .place').length > 10", scroll},
		{"search", "", "document.querySelectorAll('.tree .row.step').length > 5", search},
	} {
		b.Run(test.name, func(b *testing.B) {
			var worst task
			count := 0
			for b.Loop() {
				t := open(b, start(b, web.Options{}), "#/latest/boot/1"+test.view, 1280)
				t.until(test.ready)
				tasks := t.tasks(func() {
					if js[int](t, test.script) == 0 {
						b.Fatal("the script did nothing")
					}
				})
				worst.cpu, worst.wall = max(worst.cpu, tasks[0].cpu), max(worst.wall, slices.MaxFunc(tasks, func(a, b task) int { return int(a.wall - b.wall) }).wall)
				count += len(tasks)
			}
			b.ReportMetric(worst.cpu.Seconds()*1000, "cpu-ms/slowest")
			b.ReportMetric(worst.wall.Seconds()*1000, "ms/slowest")
			b.ReportMetric(float64(count)/float64(b.N), "tasks/op")
		})
	}
}

// BenchmarkPageMemory reports the memory of the tab after
// every view of a server's start was opened: the private
// memory of the tab's process, and the JavaScript heap.
func BenchmarkPageMemory(b *testing.B) {
	var private, script float64
	for b.Loop() {
		t := open(b, start(b, web.Options{}), "#/latest/boot/1", 1280)
		t.until("document.querySelectorAll('.tree .row.step').length > 5")
		t.goTo("#/latest/boot/1?view=map")
		t.until("document.querySelectorAll('.boot-server').length === 3")
		t.goTo("#/latest/boot/1?view=time")
		t.until("document.querySelector('.span')?.textContent.includes('zoom in')")
		t.goTo("#/latest/boot/1?view=calls")
		t.until("document.querySelectorAll('.row.flat .place').length > 10")
		js[any](t, scroll)
		events := t.traced(func() {
			if _, err := chromedp.Call(t.ctx, tracing.RequestMemoryDump, tracing.RequestMemoryDumpParams{LevelOfDetail: tracing.MemoryDumpLevelOfDetailLight}); err != nil {
				b.Fatal(err)
			}
		}, "disabled-by-default-memory-infra")
		renderers := map[int]bool{}
		for _, e := range events {
			if e.Name == "process_name" && e.Args.Name == "Renderer" {
				renderers[e.PID] = true
			}
		}
		most := 0.0
		for _, e := range events {
			if n, err := strconv.ParseUint(e.Args.Dumps.Totals.Private, 16, 64); err == nil && renderers[e.PID] {
				most = max(most, float64(n))
			}
		}
		if most == 0 {
			b.Fatalf("Chromium's trace of %d events does not say how much memory the tab has", len(events))
		}
		private = max(private, most)
		script = max(script, js[float64](t, "performance.memory.usedJSHeapSize"))
	}
	b.ReportMetric(private/1e6, "MB")
	b.ReportMetric(script/1e6, "script-MB")
}

// TestFileIsSmall limits the file of a recording to the
// promised size. The file has the sources of this machine.
func TestFileIsSmall(t *testing.T) {
	testenv.Costly(t, "reads the sources of a release")
	var out bytes.Buffer
	if err := (web.PageFile{}).WriteRecording(&out, recorded(t, "create-deployment"), ""); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 1_500_000 {
		t.Errorf("the file has %d bytes, expected at most 1,500,000", out.Len())
	}
	if !strings.Contains(out.String(), `id="data"`) {
		t.Error("the file has no data")
	}
}
