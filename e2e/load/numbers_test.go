package load

import (
	"slices"
	"strings"
	"testing"
)

// quantile returns the value that is greater than the fraction q of all values. There
// must be at least one value.
func quantile[T int64 | float64](values []T, q float64) T {
	values = slices.Sorted(slices.Values(values))
	return values[min(int(q*float64(len(values))), len(values)-1)]
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// A limit is how much a metric may grow. If m is the median of the second third of its
// values, the median of the last third may be at most m*times + plus. The first third does
// not count, because caches fill then.
type limit struct {
	times float64
	plus  float64
}

// A series has the values of a metric at equal intervals.
type series []float64

// thirds returns the medians of the three thirds. There must be at least three values.
func (s series) thirds() (first, second, last float64) {
	n := len(s)
	return median(s[:n/3]), median(s[n/3 : 2*n/3]), median(s[2*n/3:])
}

// isFlat reports whether the last third is within the limit.
func (s series) isFlat(l limit) bool {
	_, second, last := s.thirds()
	return last <= second*l.times+l.plus
}

func TestFlat(t *testing.T) {
	l := limit{1.05, 10}
	for _, tt := range []struct {
		name string
		series
		want bool
	}{
		{"always the same", series{100, 100, 100, 100, 100, 100, 100, 100, 100}, true},
		{"grows at first", series{10, 50, 80, 100, 100, 100, 100, 100, 100}, true},
		{"falls", series{300, 300, 300, 200, 200, 200, 100, 100, 100}, true},
		{"has a peak", series{100, 100, 100, 100, 100, 100, 100, 100, 900}, true},
		{"up to the limit", series{100, 100, 100, 100, 100, 100, 115, 115, 115}, true},
		{"above the limit", series{100, 100, 100, 100, 100, 100, 116, 116, 116}, false},
		{"grows all the time", series{100, 110, 120, 130, 140, 150, 160, 170, 180}, false},
	} {
		if got := tt.isFlat(l); got != tt.want {
			t.Errorf("%s: flat = %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(100 - i)
	}
	for q, want := range map[float64]int64{0: 1, 0.5: 51, 0.99: 100, 1: 100} {
		if got := quantile(hundred, q); got != want {
			t.Errorf("quantile %v = %d, want %d", q, got, want)
		}
	}
	if hundred[0] != 100 {
		t.Error("quantile has changed the order of its argument")
	}
}

func TestReadMetrics(t *testing.T) {
	const text = "# HELP go_goroutines Number of goroutines.\n# TYPE go_goroutines gauge\ngo_goroutines 42\n" +
		"requests_total{code=\"200\",path=\"a b\"} 7\nprocess_resident_memory_bytes 3.14e+08\n"
	got, err := readMetrics(strings.NewReader(text))
	if err != nil || len(got) != 2 || got[goroutines] != 42 || got[resident] != 3.14e8 {
		t.Errorf("got the metrics %v and the error %v, want goroutines and resident", got, err)
	}
	if _, err := readMetrics(strings.NewReader("go_goroutines many\n")); err == nil {
		t.Error("readMetrics accepted a metric that is not a number")
	}
}
