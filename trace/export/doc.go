// Package export writes recordings in forms that other programs read: YAML, the
// trace events of Chrome and Perfetto, collapsed stacks for flame graphs, Mermaid
// sequence diagrams; and sends them to OpenTelemetry receivers by OTLP.
//
// Everything that is exported is complete, but for the diagram, which shows the
// way through the layers and says how much it leaves out.
package export
