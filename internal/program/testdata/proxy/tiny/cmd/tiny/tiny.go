// Tiny is a program that can be built in seconds and does what the tests of
// servers need.
package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"example.org/dep"
	"example.org/staged"
)

var version = "unset"

func main() {
	if len(os.Args) < 2 {
		fmt.Println(dep.Hello(), staged.Name, version)
		return
	}
	switch os.Args[1] {
	case "serve":
		fmt.Println("serving")
		os.WriteFile("ready", nil, 0o600)
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		os.WriteFile("ready", nil, 0o600)
		select {}
	case "die":
		fmt.Println("first line")
		fmt.Fprintln(os.Stderr, "the reason")
		os.Exit(3)
	case "listen":
		if _, err := net.Listen("tcp", os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.WriteFile("ready", nil, 0o600)
		select {}
	case "environment":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
		os.WriteFile("ready", nil, 0o600)
		select {}
	}
}
