// Toy is an HTTP server that a test traces. It knows nothing of Kubernetes.
package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/toy/greeter"
)

func main() {
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	flag.Parse()
	log.Fatal(http.ListenAndServe(*address, &greeter.Handler{Greeting: "hello"}))
}
