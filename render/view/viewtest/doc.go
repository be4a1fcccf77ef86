// Package viewtest has guides and recordings for tests of what shows traces.
package viewtest
