package trace

import (
	"slices"
	"testing"
)

func TestMorePackagesOfARecording(t *testing.T) {
	r := &Recording{Edition: "0123456789ab"}
	r.AddMore()
	if r.Edition != "0123456789ab" || r.More() != nil {
		t.Errorf("Edition = %q, More() = %q, expected no additional packages", r.Edition, r.More())
	}
	r.AddMore("k8s.io/q", "k8s.io/p/...")
	r.AddMore("k8s.io/q", "k8s.io/a")
	if want := []string{"k8s.io/a", "k8s.io/p/...", "k8s.io/q"}; !slices.Equal(r.More(), want) {
		t.Errorf("More() = %q, expected %q", r.More(), want)
	}
	for pkg, has := range map[string]bool{"k8s.io/p": true, "k8s.io/p/sub": true, "k8s.io/p2": false, "k8s.io/q": true, "k8s.io/q/sub": false} {
		if got := r.HasMore(pkg); got != has {
			t.Errorf("edition %q: HasMore(%s) = %v, expected %v", r.Edition, pkg, got, has)
		}
	}
	for other, same := range map[string]bool{"0123456789ab": true, "": true, "ba9876543210": false, "ba9876543210 k8s.io/q": false} {
		if got := r.SameAlways(&Recording{Edition: other}); got != same {
			t.Errorf("editions %q and %q: SameAlways = %v, expected %v", r.Edition, other, got, same)
		}
	}
}
