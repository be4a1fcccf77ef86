// Package judge holds tests that check every sentence of diff, compare and history
// against both releases' sources. They read the sentences as a person does, without
// the code that wrote them.
package judge
