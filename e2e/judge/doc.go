// Package judge holds the tests that check every sentence of diff, compare and history against the
// sources of both releases. They read the sentences as a person does, and know nothing of the code that
// wrote them.
package judge
