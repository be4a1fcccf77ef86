package view

import "github.com/kubeapitrace/apitrace/trace"

// LayerColour returns the colour of a layer, as "#rrggbb", the same in the tree, the outline, the
// page and the diagrams; "" for a layer that has none. Layers that do similar things have
// similar hues. Each colour has a contrast of at least 3:1 to black and to white, so it
// can be read on any background. Colour never says anything that the text does not.
func LayerColour(layer string) string { return layerColours[layer] }

var layerColours = map[string]string{
	trace.LayerFilters:         "#0069b9",
	trace.LayerServer:          "#0073cb",
	trace.LayerAudit:           "#197ddd",
	trace.LayerInstaller:       "#4486ee",
	trace.LayerAuthentication:  "#a83c00",
	trace.LayerAuthorization:   "#ba5500",
	trace.LayerFlowControl:     "#cc6e00",
	trace.LayerRouting:         "#007899",
	trace.LayerAggregator:      "#0083af",
	trace.LayerExtensions:      "#008ec5",
	trace.LayerDiscovery:       "#0099da",
	trace.LayerHandler:         "#7345b4",
	trace.LayerNegotiation:     "#8e55c4",
	trace.LayerResponse:        "#aa66d3",
	trace.LayerCodec:           "#007d30",
	trace.LayerConversion:      "#009251",
	trace.LayerFieldManager:    "#00a871",
	trace.LayerAdmission:       "#af2934",
	trace.LayerValidation:      "#dd574b",
	trace.LayerRegistry:        "#99328a",
	trace.LayerStrategy:        "#b34595",
	trace.LayerResource:        "#ce579f",
	trace.LayerCacher:          "#756400",
	trace.LayerEtcd3:           "#7e7c00",
	trace.LayerStorageSetup:    "#859400",
	trace.LayerEtcdClient:      "#007f72",
	trace.LayerEtcdRPC:         "#008b89",
	trace.LayerEtcdApply:       "#0098a0",
	trace.LayerEtcdMVCC:        "#00a1b2",
	trace.LayerUpstreamTracing: "#767676",
}
