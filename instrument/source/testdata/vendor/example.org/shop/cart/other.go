//go:build neveros

package cart

func Elsewhere() {}
