package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// TestAnyAnswer checks that the copy demands no answers, and that the scenario itself is unchanged.
func TestAnyAnswer(t *testing.T) {
	scenario, err := Find("create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	free := scenario.AnyAnswer()
	for i := range free.Requests {
		for _, h := range free.Requests[i].all() {
			if len(h.expected()) > 0 {
				t.Errorf("%s %s still wants %s", h.Method, h.Path, h.expected())
			}
		}
	}
	r := scenario.Traced()[0]
	if !slices.Equal(r.expected(), []int{201}) || len(r.Warmup) == 0 || len(r.Warmup[0].expected()) == 0 {
		t.Errorf("the scenario itself was changed: it wants %s, its warm-ups are %+v", r.Status, r.Warmup)
	}
	if n := len(free.Traced()[0].Warmup); n != len(r.Warmup) {
		t.Errorf("the copy has %d warm-ups, expected %d", n, len(r.Warmup))
	}
}

// TestAnyTracedAnswer checks that only traced requests and their warm-ups may be answered
// otherwise.
func TestAnyTracedAnswer(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /api/v1/nodes/n1, status: 404, as: admin}
  - {method: GET, path: /api/v1/nodes/n1, status: 200, traced: true}
`)
	if err := newFakeServer(t).player().Play(t.Context(), s.AnyTracedAnswer(), nil); err != nil {
		t.Errorf("another answer to the traced request: %v", err)
	}
	s.Requests[0].Status = Statuses{200}
	if err := newFakeServer(t).player().Play(t.Context(), s.AnyTracedAnswer(), nil); err == nil || !strings.Contains(err.Error(), "answered 404, expected 200") {
		t.Errorf("another answer to a request that is not traced: %v", err)
	}
}
