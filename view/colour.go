package view

import "github.com/kubeapitrace/apitrace/trace"

// LayerColour returns a layer's colour as "#rrggbb", or "". The tree, the
// outline, the page and the diagrams use the same colours.
//
// Layers that do similar things have similar hues. Each colour has a contrast
// of at least 3:1 to black and to white, so it can be read on any background.
// Colour-blind readers can distinguish the colours of consecutive sections.
// Colour never carries information that the text does not have.
func LayerColour(layer string) string { return layerColours[layer] }

var layerColours = map[string]string{
	trace.LayerFilters:         "#0b6cb9",
	trace.LayerServer:          "#0073cb",
	trace.LayerAudit:           "#618dfd",
	trace.LayerInstaller:       "#4486ee",
	trace.LayerAuthentication:  "#983d1d",
	trace.LayerAuthorization:   "#b56421",
	trace.LayerFlowControl:     "#d97a01",
	trace.LayerRouting:         "#216b83",
	trace.LayerAggregator:      "#1a7ebc",
	trace.LayerExtensions:      "#008ec5",
	trace.LayerDiscovery:       "#3499d7",
	trace.LayerHandler:         "#764dc2",
	trace.LayerNegotiation:     "#b66bd0",
	trace.LayerResponse:        "#9b53f2",
	trace.LayerCodec:           "#1b6550",
	trace.LayerConversion:      "#33a24d",
	trace.LayerFieldManager:    "#218002",
	trace.LayerAdmission:       "#c20463",
	trace.LayerCEL:             "#d16fa4",
	trace.LayerInformer:        "#c2880d",
	trace.LayerValidation:      "#dd574b",
	trace.LayerRegistry:        "#a11c93",
	trace.LayerStrategy:        "#b15592",
	trace.LayerResource:        "#bd4eb6",
	trace.LayerCacher:          "#906d05",
	trace.LayerEtcd3:           "#9a9035",
	trace.LayerStorageSetup:    "#5d6900",
	trace.LayerEtcdClient:      "#2b7e72",
	trace.LayerEtcdRPC:         "#34a395",
	trace.LayerEtcdApply:       "#0c7a90",
	trace.LayerEtcdMVCC:        "#00a1b2",
	trace.LayerEtcdDisk:        "#6d53bc",
	trace.LayerWorkQueue:       "#8c7a1c",
	trace.LayerController:      "#c05412",
	trace.LayerScheduler:       "#7440c4",
	trace.LayerKubelet:         "#068454",
	trace.LayerClient:          "#3d96cf",
	trace.LayerUpstreamTracing: "#767676",
	trace.LayerOwn:             "#d6336c",
	trace.LayerMore:            "#8a6d3b",
}
