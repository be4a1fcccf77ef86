package terminal

import (
	"fmt"
	"testing"
)

// TestRequestIsPickedByItsNumber picks a request whose title another request has, too.
func TestRequestIsPickedByItsNumber(t *testing.T) {
	m := open(t, "deployment-to-pod", 80, 24)
	titles := map[string]int{}
	for i := range m.rec.Requests {
		r := &m.rec.Requests[i]
		title := fmt.Sprint(r.Method, r.Path, r.Status)
		first, again := titles[title]
		if !again {
			titles[title] = i
			continue
		}
		for _, want := range []int{i, first} {
			m.request = 0
			press(m, "P")
			for range want {
				press(m, "down")
			}
			if press(m, "enter"); m.request != want {
				t.Fatalf("request %d was picked, expected %d: both are %s", m.request, want, title)
			}
		}
		return
	}
	t.Fatal("no two requests have the same title")
}
