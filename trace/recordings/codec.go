package recordings

import (
	"strconv"

	"github.com/kubeapitrace/apitrace/internal/columns"
	"github.com/kubeapitrace/apitrace/trace"
)

// A codec writes or reads recordings, and the data that the recordings of a
// release share.
type codec struct {
	*columns.Codec
	// locals has, by place, its number in this recording: from 1 on, in order of
	// the first call, or 0 for a place not called yet. last is the last used
	// number.
	locals []int32
	last   int32
	// shared has the data that the recordings of a release share. It is nil while
	// that data itself is coded.
	shared *shared
}

// encode packs a recording. Validate must accept the recording, and the places of
// its calls must be in shared.
func encode(rec *trace.Recording, s *shared) ([]byte, error) { return written(rec, s).Pack(s.common) }

// written returns the columns of a recording.
func written(rec *trace.Recording, s *shared) *columns.Codec {
	c := &codec{Codec: columns.NewWriter(), shared: s}
	c.recording(rec)
	return c.Codec
}

// decode unpacks the result of encode.
func decode(packed []byte, s *shared) (*trace.Recording, error) {
	opened, err := columns.Open(packed, s.common)
	if err != nil {
		return nil, err
	}
	return read(opened, s)
}

// read reads a recording from the columns.
func read(opened *columns.Codec, s *shared) (*trace.Recording, error) {
	c := &codec{Codec: opened, shared: s}
	rec := new(trace.Recording)
	c.recording(rec)
	if err := c.Close(); err != nil {
		return nil, err
	}
	if rec.Validate() == nil {
		return rec, nil
	}
	// An earlier apitrace may have used another order.
	for i := range rec.Requests {
		if err := rec.Requests[i].Sort(); err != nil {
			return nil, err
		}
	}
	return rec, rec.Validate()
}

func (c *codec) recording(rec *trace.Recording) {
	c.Text("scenario", &rec.Scenario)
	c.Text("k8sVersion", &rec.K8sVersion)
	c.Text("etcdVersion", &rec.EtcdVersion)
	c.Time("recorded", &rec.Recorded)
	c.Text("edition", &rec.Edition)
	columns.List(c.Codec, "servers", &rec.Servers, func(server *string) { c.Text("servers.server", server) })
	columns.List(c.Codec, "edited", &rec.Edited, func(file *string) { c.Text("edited.file", file) })
	columns.List(c.Codec, "requests", &rec.Requests, c.request)
}

func (c *codec) request(r *trace.Request) {
	c.traceID("traceID.high", "traceID.low", &r.TraceID)
	c.Text("method", &r.Method)
	c.Text("path", &r.Path)
	columns.Int(c.Codec, "status", &r.Status)
	c.Time("began", &r.Start)
	columns.List(c.Codec, "incomplete", &r.Incomplete, func(s *string) { c.Text("incomplete.text", s) })
	columns.List(c.Codec, "stored", &r.Stored, c.stored)
	c.Text("cause.trace", &r.Cause.TraceID)
	c.Text("cause.call", &r.Cause.Call)
	columns.List(c.Codec, "pending", &r.Pending, c.pending)
	c.calls(r)
}

func (c *codec) stored(k *trace.StoredKey) {
	c.Text("stored.op", &k.Op)
	c.Text("stored.key", &k.Key)
	columns.Int(c.Codec, "stored.revision", &k.Revision)
	columns.Int(c.Codec, "stored.size", &k.Size)
	c.Text("stored.encoding", &k.Encoding)
	c.Text("stored.apiVersion", &k.APIVersion)
	c.Text("stored.kind", &k.Kind)
}

func (c *codec) pending(p *trace.Pending) {
	c.Text("pending.process", &p.Process)
	c.Text("pending.queue", &p.Queue)
	c.Text("pending.item", &p.Item)
	c.Text("pending.by", &p.By)
	c.Time("pending.due", &p.Due)
}

// traceID writes or reads a text of 32 hexadecimal digits.
func (c *codec) traceID(high, low string, v *string) {
	var h, l uint64
	if c.Writing() {
		h, l = c.parse((*v)[:16]), c.parse((*v)[16:])
	}
	c.Number(high, &h)
	c.Number(low, &l)
	*v = hex16(h) + hex16(l)
}

// idDigits is the number of hexadecimal digits of the ID of a call.
const idDigits = 16

// hex16 writes 16 hexadecimal digits.
func hex16(v uint64) string {
	var digits [idDigits]byte
	putHex(&digits, v)
	return string(digits[:])
}

func putHex(to *[idDigits]byte, v uint64) {
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = "0123456789abcdef"[v&15]
		v >>= 4
	}
}

func (c *codec) parse(digits string) uint64 {
	v, err := strconv.ParseUint(digits, 16, 64)
	c.Fail(err)
	return v
}
