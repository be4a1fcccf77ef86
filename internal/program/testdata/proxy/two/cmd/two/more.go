package main

import "example.org/two/internal/word"

func text() string { return "two says " + word.Word() }
