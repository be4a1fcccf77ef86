// Package export writes recordings in formats that other programs read: YAML, the trace events
// of Chrome and Perfetto, collapsed stacks for flame graphs, and Mermaid sequence diagrams. It
// also sends them to OpenTelemetry receivers by OTLP.
//
// All formats have every call, except the diagram. The diagram shows the way through the layers
// and says how many of the calls it shows.
//
// Package trace writes the formats that apitrace reads itself.
package export
