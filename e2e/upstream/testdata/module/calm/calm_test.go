package calm

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	os.Exit(m.Run())
}

func TestTwice(t *testing.T) {
	for _, n := range []int{0, 3} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			if twice(n) != 2*n {
				t.Error(n)
			}
		})
	}
}

func TestSkipped(t *testing.T) { t.Skip("as everywhere") }
