// Package viewtest has guides and recordings for tests of the packages that show traces.
package viewtest
