package cart

import "example.org/shop/stock"

// A Cart holds what somebody wants.
type Cart struct{ items map[string]int }

// Add puts an item into the cart.
//
// It does not ask whether there is one.
func (c *Cart) Add(item string) error {
	c.items[item]++
	check := func(n int) bool { return n < 10 }
	again := func() func() error {
		return func() error { return stock.Take(item) }
	}
	if check(c.items[item]) {
		return again()()
	}
	return nil
}

func (c Cart) Len() int { return len(c.items) }

// A List is generic.
type List[T any] struct{ all []T }

// Add appends.
func (l *List[T]) Add(item T) { l.all = append(l.all, item) }

func Map[T any](all []T) []T { return all }

var later = func() int { return earlier() }

var earlier = func() int { return 1 }

func init() { _ = later }
