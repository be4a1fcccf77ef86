package scenarios

import (
	"slices"
	"strings"
	"testing"
)

// TestAnyAnswer checks that the copy accepts any status, and that the scenario itself is
// unchanged.
func TestAnyAnswer(t *testing.T) {
	scenario, err := Find("create-deployment")
	if err != nil {
		t.Fatal(err)
	}
	free := scenario.AnyAnswer()
	for i := range free.Requests {
		for _, h := range free.Requests[i].all() {
			if len(h.expected()) > 0 {
				t.Errorf("%s %s accepts only the status %s, expected that it accepts any", h.Method, h.Path, h.expected())
			}
		}
	}
	r := scenario.Traced()[0]
	if !slices.Equal(r.expected(), []int{201}) || len(r.Warmup) == 0 || len(r.Warmup[0].expected()) == 0 {
		t.Errorf("AnyAnswer changed the scenario: its traced request expects %s and has the warm-ups %+v", r.Status, r.Warmup)
	}
	if n := len(free.Traced()[0].Warmup); n != len(r.Warmup) {
		t.Errorf("the copy has %d warm-ups, expected %d", n, len(r.Warmup))
	}
}

// TestAnyTracedAnswer checks that only traced requests and their warm-ups accept another
// status.
func TestAnyTracedAnswer(t *testing.T) {
	s := mustParse(t, `name: mine
title: {en: Mine}
requests:
  - {method: GET, path: /api/v1/nodes/n1, status: 404, as: admin}
  - {method: GET, path: /api/v1/nodes/n1, status: 200, traced: true}
`)
	if err := newFakeServer(t).player().Play(t.Context(), s.AnyTracedAnswer(), nil); err != nil {
		t.Errorf("another status of the traced request: got %v, expected no error", err)
	}
	s.Requests[0].Status = Statuses{200}
	if err := newFakeServer(t).player().Play(t.Context(), s.AnyTracedAnswer(), nil); err == nil || !strings.Contains(err.Error(), "answered 404, expected 200") {
		t.Errorf("another status of the untraced request: got %v, expected an error", err)
	}
}
