// Package judge holds tests that check every sentence of diff, compare and history
// against both releases' sources. The fast tests take facts about the sources from the
// embedded index. The slow tests read the sources with code of their own.
package judge
