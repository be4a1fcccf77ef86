package session

import (
	"slices"
	"testing"
)

func TestRepeated(t *testing.T) {
	var r repeated
	var each, sums []int
	for range 12_345 {
		n, one, sum := r.count()
		if one {
			each = append(each, n)
		}
		if sum {
			sums = append(sums, n)
		}
	}
	if len(each) != mostRepeated || each[mostRepeated-1] != mostRepeated || !slices.Equal(sums, []int{100, 1000, 10_000}) {
		t.Errorf("reported the events %v and the numbers %v, expected the events 1 to 10 and the numbers 100, 1000 and 10000", each, sums)
	}
}
