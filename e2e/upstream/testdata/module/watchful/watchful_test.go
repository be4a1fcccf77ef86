package watchful

import "testing"

func TestNobodyListens(t *testing.T) {
	if Listening() {
		t.Error("the probe listens")
	}
}
