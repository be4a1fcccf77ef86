package web_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/ui/web"
)

// A realEngine in web.Options makes the function serve start real servers.
type realEngine struct{ web.Engine }

// TestPageWithARealServer starts a real server on the page, replays
// a scenario, sends a request, and traces kubectl with the commands
// on the page. When the page is closed, the server must stop.
func TestPageWithARealServer(t *testing.T) {
	testenv.NeedsServer(t)
	address := start(t, web.Options{Engine: realEngine{}, Grace: time.Nanosecond})
	browser := open(t, address, "#/latest/get-node/1", 1280)
	browser.until(row("Authentication"))
	b := browser.anotherLive(address)
	b.click(live("servers") + ".querySelector('.go')")
	b.within(forABuild, "document.querySelector('.server.ready')")
	b.until("[...document.querySelectorAll('select[name=scenario] option')].length > 30")
	b.click(live("replay") + ".querySelector('.go')")
	b.until(live("replay") + ".querySelector('.outcome a')?.textContent === 'get-node'")

	js[any](b, setValue("input[name=path]", "/api/v1/namespaces/default"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')?.textContent === 'GET /api/v1/namespaces/default'")
	b.click(live("request") + ".querySelector('.outcome a')")
	b.until(row("etcd3 store"))
	b.until("document.querySelector('.request h1').textContent.includes('→ 200')")
	b.back()
	b.until("document.querySelector('.server.ready')")

	// The path of an error names the line at which it was born, and its source is scrolled to
	// this line.
	js[any](b, setValue("input[name=path]", "/api/v1/nodes/nosuch"))
	b.click(live("request") + ".querySelector('.go')")
	b.until(live("request") + ".querySelector('.outcome a')?.textContent === 'GET /api/v1/nodes/nosuch'")
	b.click(live("request") + ".querySelector('.outcome a')")
	b.until("document.querySelector('.path.failure button')")
	b.click("document.querySelector('.path.failure button')")
	b.until("document.querySelector('.path.failure button').textContent.includes(`etcd3/store.go:${document.querySelector('.lines .here .no')?.textContent}:`)")
	b.until("(() => { const at = document.querySelector('.lines .here').getBoundingClientRect(); return at.top > 0 && at.bottom < innerHeight })()")
	b.back()
	b.back()
	b.until("document.querySelector('.server.ready')")

	if _, err := exec.LookPath("kubectl"); err == nil {
		script := js[string](b, "document.querySelector('.commands pre').textContent")
		command := exec.CommandContext(t.Context(), "sh", "-c", script)
		if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), "default") {
			t.Errorf("%s: %v: %s", script, err, out)
		}
		b.until("[...document.querySelectorAll('tbody tr')].some((r) => r.textContent.includes('/api/v1/namespaces?limit=500'))")
		b.click("[...document.querySelectorAll('tbody tr')].find((r) => r.textContent.includes('/api/v1/namespaces?limit=500')).querySelector('a')")
		b.until("document.querySelector('.tree')?.textContent.includes('Authentication')")
	}
	kubeconfig := liveState(t, address).Servers[0].Kubeconfig
	b.close()
	testenv.Await(t, "the server is gone", func() bool { return len(liveState(t, address).Servers) == 0 })
	if out, err := exec.Command("pgrep", "-f", fmt.Sprintf("^[^ ]*kube-apiserver .*%s", kubeconfig[:strings.LastIndex(kubeconfig, "/")])).Output(); err == nil {
		t.Errorf("a server still runs: %s", out)
	}
}
