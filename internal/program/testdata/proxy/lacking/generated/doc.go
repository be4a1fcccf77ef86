// Package generated has no Packages before a generator made them.
package generated
