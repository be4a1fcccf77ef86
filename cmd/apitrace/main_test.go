package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kubeapitrace/apitrace/internal/message"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts' golden texts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"apitrace":         main,
		"kubectl-apitrace": main,
		"apitrace-status":  checkStatus,
		"save-large":       saveLarge,
		"print-cost":       printCost,
		"panicking-screen": panickingScreen,
	})
}

// checkStatus is the command "apitrace-status N ARGS" of the scripts: it runs "apitrace
// ARGS" and succeeds if the exit status is N. testscript's "!" accepts any failure.
func checkStatus() {
	err := run(append([]string{"apitrace"}, os.Args[2:]...), message.Printer{})
	report(os.Stderr, message.Printer{}, err)
	if got := strconv.Itoa(exitCode(err)); got != os.Args[1] {
		fmt.Fprintf(os.Stderr, "exit status %s, expected %s\n", got, os.Args[1])
		os.Exit(1)
	}
}
