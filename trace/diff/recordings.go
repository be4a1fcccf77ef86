package diff

import "github.com/kubeapitrace/apitrace/trace"

// A Comparison has the differences of recording B from recording A.
type Comparison struct {
	A, B *trace.Recording
	// Requests has the requests of both recordings, in order. Each is followed by those that
	// it caused.
	Requests []RequestPair
}

// A RequestPair is a request of both recordings, or of one.
type RequestPair struct {
	// A and B are the requests. The request that a side lacks is nil.
	A, B *trace.Request
	// Diff has the differences of the two requests. It is nil if one is missing.
	Diff *Diff
}

// Same reports whether both recordings took the same path.
func (c *Comparison) Same() bool {
	for _, r := range c.Requests {
		if !r.Same() {
			return false
		}
	}
	return true
}

// Same reports whether both requests took the same path to the same answer.
func (r *RequestPair) Same() bool {
	return r.Diff != nil && r.Diff.Same() && r.A.Status == r.B.Status
}

// CompareRecordings pairs the requests of two recordings, in order, and
// compares each pair. If one recording has more requests, requests with the
// same method and path are paired first, then the most similar ones with the
// same method. Caused requests and events are paired with those of the same kind that the other
// side of a pair caused. Both recordings must be valid, as loaded ones are. It sets
// o.SameProgram if the recordings show that the same programs served them.
func CompareRecordings(a, b *trace.Recording, o Options) *Comparison {
	o.SameProgram = o.SameProgram || samePrograms(a, b)
	c := &Comparison{A: a, B: b}
	for _, p := range pairAll(a.Requests, b.Requests) {
		var pair RequestPair
		if p.a != None {
			pair.A = &a.Requests[p.a]
		}
		if p.b != None {
			pair.B = &b.Requests[p.b]
		}
		if pair.A != nil && pair.B != nil {
			pair.Diff = compare(trace.TreeOfValid(pair.A), trace.TreeOfValid(pair.B), o)
		}
		c.Requests = append(c.Requests, pair)
	}
	return c
}

// OtherEdition reports whether the recordings are known to come from different
// editions of apitrace. A function that one side lacks may then not have been
// traced there.
func (c *Comparison) OtherEdition() bool {
	return !c.A.SameAlways(c.B)
}

// samePrograms reports whether different names are known to mean different
// functions: both recordings have the same versions, and no edit can have
// renamed functions.
func samePrograms(a, b *trace.Recording) bool {
	return a.K8sVersion != "" && a.K8sVersion == b.K8sVersion && a.EtcdVersion == b.EtcdVersion && !mayRename(a) && !mayRename(b)
}

// mayRename reports whether edits of the program may have renamed functions. The
// patch of a course's fault renames nothing. The recording of a fault has the
// fault's name as its scenario and as its only edit.
func mayRename(rec *trace.Recording) bool {
	return len(rec.Edited) > 1 || len(rec.Edited) == 1 && rec.Edited[0] != rec.Scenario
}

// NameInB returns the name in B of a function of A, or "" if B has none of its
// calls.
func (c *Comparison) NameInB(function string) string {
	for _, r := range c.Requests {
		if r.Diff == nil {
			continue
		}
		for i, j := range r.Diff.InB {
			if j != None && r.A.Calls[i].Function == function {
				return r.B.Calls[j].Function
			}
		}
	}
	return ""
}
