package trace

// TickNs returns the tick of the clock that measured a request's calls, in nanoseconds:
// 1000 if all times are whole microseconds, or 0 if the clock was finer. A request with
// few calls may have whole microseconds by chance, so TickNs returns 0 for it.
func (r *Request) TickNs() int64 {
	const least, micro = 20, 1000 // calls
	if len(r.Calls) < least {
		return 0
	}
	for i := range r.Calls {
		if r.Calls[i].StartNs%micro != 0 || r.Calls[i].DurationNs%micro != 0 {
			return 0
		}
	}
	return micro
}
