package main

import (
	"testing"
)

func TestAsksForTrees(t *testing.T) {
	for flag, want := range map[string]bool{
		"only": true, "output": true, "view": true, "layer": true, "depth": true,
		"ascii": false, "color": false, "as": false, "save": false, "check": false, "etcd-servers": false, "k8s": false,
	} {
		if got := asksForTrees(flag); got != want {
			t.Errorf("--%s asks for trees: %v, want %v", flag, got, want)
		}
	}
}
