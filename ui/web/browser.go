package web

import (
	"cmp"
	"os"
	"os/exec"
	"runtime"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// openBrowser opens an address in the browser that the variable BROWSER names, or
// else in the system's default browser. It does not wait until the browser ends.
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
