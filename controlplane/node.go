package controlplane

import (
	"context"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A node has the fields of a Node that say whether a pod can be bound to it.
type node struct {
	Spec struct {
		Taints []struct {
			Key string `json:"key"`
		} `json:"taints"`
	} `json:"spec"`
	Status struct {
		Conditions []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
		} `json:"conditions"`
	} `json:"status"`
}

// nodeReady returns nil if a pod can be bound to the node: the kubelet has said that it is
// ready, and a controller has taken the taint of a new node away.
func (p *Plane) nodeReady(ctx context.Context) error {
	var n node
	if err := p.server.Get(ctx, "/api/v1/nodes/"+Node, &n); err != nil {
		return err
	}
	for _, c := range n.Status.Conditions {
		if c.Type == "Ready" && c.Status != "True" {
			return message.Errorf("the node %s is not ready", Node)
		}
	}
	if len(n.Spec.Taints) > 0 {
		return message.Errorf("the node %s still has the taint %s", Node, n.Spec.Taints[0].Key)
	}
	if len(n.Status.Conditions) == 0 {
		return message.Errorf("the node %s is not ready", Node)
	}
	return nil
}
