package session

import "testing"

func TestSamplerChooses(t *testing.T) {
	s := &sampler{rate: 0.25, session: New(Options{})}
	chosen := 0
	const n = 20_000
	for range n {
		if s.choose(t.Context()) {
			chosen++
		}
	}
	if chosen < n/5 || chosen > n*3/10 {
		t.Errorf("of %d requests, %d were chosen, expected about a quarter", n, chosen)
	}
	s.rate = 1
	if !s.choose(t.Context()) {
		t.Error("with the rate 1, a request was not chosen")
	}
}
