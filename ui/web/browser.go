package web

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// openBrowser opens an address in the user's browser: that of BROWSER, or the system's. It does not wait for the browser
// to end.
func openBrowser(address string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	program = cmp.Or(os.Getenv("BROWSER"), program)
	command := exec.Command(program, address)
	if err := command.Start(); err != nil {
		return message.Errorf("opening the browser: %w; open the address yourself", err)
	}
	go func() { _ = command.Wait() }() // the exit status of the browser does not matter
	return nil
}
