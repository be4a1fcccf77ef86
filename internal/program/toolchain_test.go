package program

import (
	"slices"
	"testing"
)

// TestGarbageCollectionOfBuilds checks that builds run with GOGC=400 or the user's value. The
// build's key does not depend on it.
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
