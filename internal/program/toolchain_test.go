package program

import (
	"slices"
	"testing"
)

// Builds use more memory to take less time, but a value set by the user takes precedence. The
// build's key does not change.
func TestGarbageCollectionOfBuilds(t *testing.T) {
	c := newCache(t)
	keys := map[string]bool{}
	for user, want := range map[string]string{"": "GOGC=400", "50": "GOGC=50", "off": "GOGC=off"} {
		t.Setenv("GOGC", user)
		if env := (Toolchain{}).buildEnv(c); !slices.Contains(env, want) {
			t.Errorf("with GOGC=%q a build runs with %q, want %s", user, env, want)
		}
		b := &build{program: tiny()}
		keys[b.buildKey()] = true
	}
	if len(keys) != 1 {
		t.Errorf("GOGC makes %d different keys, want one", len(keys))
	}
}
