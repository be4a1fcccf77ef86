package output

import (
	"github.com/kubeapitrace/apitrace/instrument/spoken"
	"github.com/kubeapitrace/apitrace/view"
)

// A diagramGuide gives the layers of a diagram the colours that they have in the tree.
type diagramGuide struct{ *spoken.Guide }

// Colour returns the colour of a layer in every view.
func (diagramGuide) Colour(layer string) string { return view.LayerColour(layer) }
