// Command kubectl is upstream's kubectl (k8s.io/kubernetes/cmd/kubectl). With it, the
// tests do not need a kubectl on the machine. It is a separate module because apitrace
// itself does not need these dependencies.
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
