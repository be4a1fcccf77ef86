package inorder

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

func TestInOrder(t *testing.T) {
	var running, most atomic.Int32
	var got []int
	for value, err := range Each(50, func(i int) (int, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		return i * i, nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, value)
	}
	var want []int
	for i := range 50 {
		want = append(want, i*i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, expected the squares of 0 to 49 in order", got)
	}
	if limit := int32(runtime.GOMAXPROCS(0)); most.Load() > limit {
		t.Errorf("%d values were produced at the same time, expected %d or fewer", most.Load(), limit)
	}
}

func TestInOrderPassesErrorsOn(t *testing.T) {
	boom := errors.New("boom")
	n := 0
	for _, err := range Each(10, func(i int) (int, error) {
		if i == 3 {
			return 0, boom
		}
		return i, nil
	}) {
		if n == 3 {
			if !errors.Is(err, boom) {
				t.Errorf("got the error %v with the value of 3, expected boom", err)
			}
			break
		}
		n++
	}
	if n != 3 {
		t.Errorf("the loop ended at the value of %d, expected 3", n)
	}
}
