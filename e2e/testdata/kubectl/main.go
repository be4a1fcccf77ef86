// Command kubectl is upstream's (k8s.io/kubernetes/cmd/kubectl), for the tests: so they need none on
// the machine. It is a module of its own because apitrace itself needs nothing of it.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
