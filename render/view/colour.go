package view

// LayerColour returns the colour of a layer, as "#rrggbb", the same in the tree, the outline, the
// page and the diagrams; "" for a layer that has none. Layers that do similar things have
// similar hues. Each colour has a contrast of at least 3:1 to black and to white, so it
// can be read on any background. Colour never says anything that the text does not.
func LayerColour(layer string) string { return layerColours[layer] }

var layerColours = map[string]string{
	"filters":          "#0069b9",
	"server":           "#0073cb",
	"audit":            "#197ddd",
	"installer":        "#4486ee",
	"authentication":   "#a83c00",
	"authorization":    "#ba5500",
	"flowcontrol":      "#cc6e00",
	"routing":          "#007899",
	"aggregator":       "#0083af",
	"extensions":       "#008ec5",
	"discovery":        "#0099da",
	"handler":          "#7345b4",
	"negotiation":      "#8e55c4",
	"response":         "#aa66d3",
	"codec":            "#007d30",
	"conversion":       "#009251",
	"fieldmanager":     "#00a871",
	"admission":        "#af2934",
	"validation":       "#dd574b",
	"registry":         "#99328a",
	"strategy":         "#b34595",
	"resource":         "#ce579f",
	"cacher":           "#756400",
	"etcd3":            "#7e7c00",
	"storage-setup":    "#859400",
	"etcd-client":      "#007f72",
	"etcd-rpc":         "#008b89",
	"etcd-apply":       "#0098a0",
	"etcd-mvcc":        "#00a1b2",
	"upstream-tracing": "#767676",
}
