// Package generated lacks the variable Packages, which gen generates.
package generated
