// Package old is of a module from before Go had modules: it has no go.mod.
package old

func Two() int { return 2 }
