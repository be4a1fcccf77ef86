package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPageHasALaneForEachServer opens the time line of a
// request that the aggregator hands to another API server.
// Each of the three programs must have its own lanes.
func TestPageHasALaneForEachServer(t *testing.T) {
	parallel(t)
	server := served(t)
	const request = "/releases/latest/scenarios/aggregated-api/requests/1"
	processes := []string{"kube-apiserver", "sample-apiserver", "etcd"}

	b := open(t, server, "#/latest/aggregated-api/1?view=time", 1280)
	b.is("document.querySelector('.span')?.textContent.startsWith('0ms to ')")

	// In the data, each program works within the time of the request.
	loadEngine(b)
	line := askPage[timeline](b, request+"/timeline")
	for _, process := range processes {
		at := slices.IndexFunc(line.Lanes, func(l lane) bool { return l.Process == process })
		if at < 0 {
			t.Fatalf("the time line has no lane of %s", process)
		}
		if first := line.Lanes[at].Boxes[0]; first.StartNs < 0 || first.StartNs+first.DurationNs > line.FirstNs {
			t.Errorf("%s begins at %d for %d ns, expected within the %d ns of the request", process, first.StartNs, first.DurationNs, line.FirstNs)
		}
	}

	// This records where the time line draws the names of the groups.
	js[any](b, `(() => {
		const fill = CanvasRenderingContext2D.prototype.fillText;
		window.written = {};
		CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { 
			const at = y + document.querySelector('.flame').scrollTop;
			if (x === 6) window.written[text] = Math.min(at, window.written[text] ?? at); // a name stays in sight while its lanes are scrolled
			fill.apply(this, arguments);
		};
	})()`)
	// When the time line is scrolled, each group becomes visible, and boxes of
	// its program are below its name.
	js[any](b, `(async () => {
		const flame = document.querySelector('.flame');
		for (let y = 0; y <= flame.scrollHeight; y += 150) { flame.scrollTop = y; await settled(); }
	})()`)
	written := js[map[string]float64](b, "window.written")
	for _, process := range processes {
		y, ok := written[process]
		if !ok {
			t.Fatalf("the time line does not name %s, only %v", process, written)
		}
		told := js[string](b, fmt.Sprintf(`(async () => {
			const flame = document.querySelector('.flame'), canvas = flame.querySelector('canvas'), drawn = () => new Promise((go) => setTimeout(go));
			flame.scrollTop = %g - 60;
			await settled();
			const r = canvas.getBoundingClientRect(), y = %[1]g - flame.scrollTop + 22;
			for (let x = 66; x < r.width; x += 6) {
				canvas.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, pointerId: 1, clientX: r.left + x, clientY: r.top + y}));
				await drawn(); // the page draws in a microtask
				const told = document.querySelector('.hover .quiet')?.textContent;
				if (told) return told;
			}
			return '';
		})()`, y))
		if !strings.HasPrefix(told, process+", goroutine ") {
			t.Errorf("the box below the name of %s is described as %q", process, told)
		}
	}
	// A link finds a call of the other server.
	other := b.reopen(server, "#/latest/aggregated-api/1?view=time&call="+escape("k8s.io/sample-apiserver/pkg/registry/wardle/flunder.flunderStrategy.PrepareForCreate"))
	other.is(cursor + ".includes(' · sample-apiserver · ')")
}
