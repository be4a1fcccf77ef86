// Package viewtest has guides and recordings for tests of packages that show traces.
package viewtest
