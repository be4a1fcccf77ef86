// Package judge holds the tests that check every sentence of diff, compare and history
// against the sources of both releases. The tests read the sentences as a person does.
// They do not use the code that wrote them.
package judge
