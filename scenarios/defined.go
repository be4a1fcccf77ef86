package scenarios

import (
	"context"
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// A definition is the part of a CustomResourceDefinition that the player needs.
type definition struct {
	Spec struct {
		Group string `json:"group"`
		Scope string `json:"scope"`
		Names struct {
			Plural string `json:"plural"`
			Kind   string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name string `json:"name"`
		} `json:"versions"`
	} `json:"spec"`
}

// definedBy returns the kinds that CustomResourceDefinitions among the documents define,
// by apiVersion. The server does not serve these kinds yet.
func definedBy(documents []Document) (map[string]*metav1.APIResourceList, error) {
	defined := map[string]*metav1.APIResourceList{}
	for i := range documents {
		d := &documents[i]
		if d.head.Kind != "CustomResourceDefinition" {
			continue
		}
		var crd definition
		if err := json.Unmarshal(d.json, &crd); err != nil {
			return nil, message.Errorf("%s: reading %s: %w", d.at, d, err)
		}
		for _, version := range crd.Spec.Versions {
			apiVersion := crd.Spec.Group + "/" + version.Name
			if defined[apiVersion] == nil {
				defined[apiVersion] = &metav1.APIResourceList{}
			}
			list := defined[apiVersion]
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: crd.Spec.Names.Plural, Kind: crd.Spec.Names.Kind, Namespaced: crd.Spec.Scope == "Namespaced",
			})
		}
	}
	return defined, nil
}

// awaitServed waits until the server serves the kind of o.
func (w *wire) awaitServed(ctx context.Context, o object) error {
	return poll(ctx, func() (bool, error) {
		sent := w.send(ctx, &HTTP{Method: http.MethodGet, Path: o.collection, As: Admin}, "")
		return sent.Status == http.StatusOK, sent.Err
	}, message.Of("%s to be served: has its CustomResourceDefinition been accepted?", o.collection))
}
