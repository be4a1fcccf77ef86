package desk

import (
	"io"

	shopcart "example.org/shop/cart"
)

// A Counter counts.
type Counter interface {
	// Len returns a number.
	Len() int
	Closer
	io.Writer
}

type (
	// Closer closes.
	Closer interface{ Close(now bool) error }

	Alias = Desk
)

// A Desk has a cart.
type Desk struct {
	*shopcart.Cart
	Counter
	n int
}

func (d *Desk) Close(now bool) error { return nil }

type Outer struct{ Alias }

type Twice struct {
	Desk
	shopcart.Cart
}
