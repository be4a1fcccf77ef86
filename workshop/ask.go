package workshop

import (
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/trace"
)

// ask reports whether the traces pass a test. If not, failed is the part of the test that
// does not hold.
func (t *traces) ask(test *Test) (holds bool, failed *Test, err error) {
	for _, check := range []func(*Test) (bool, *Test, error){t.askParts, t.askCalls, t.askOrder, t.askRequest} {
		if holds, failed, err := check(test); err != nil || !holds {
			return false, failed, err
		}
	}
	return true, nil, nil
}

func (t *traces) askParts(test *Test) (bool, *Test, error) {
	for i := range test.All {
		if holds, failed, err := t.ask(&test.All[i]); err != nil || !holds {
			return false, failed, err
		}
	}
	if test.Not != nil {
		if holds, _, err := t.ask(test.Not); err != nil || holds {
			return false, &Test{Not: test.Not}, err
		}
	}
	for i := range test.Any {
		if holds, _, err := t.ask(&test.Any[i]); err != nil || holds {
			return holds, nil, err
		}
	}
	if len(test.Any) > 0 {
		return false, &Test{Any: test.Any}, nil
	}
	return true, nil, nil
}

func (t *traces) askCalls(test *Test) (bool, *Test, error) {
	if test.Some != nil {
		if n, err := t.count(test.Some); err != nil || n == 0 {
			return false, &Test{Some: test.Some}, err
		}
	}
	if test.None != nil {
		if n, err := t.count(test.None); err != nil || n > 0 {
			return false, &Test{None: test.None}, err
		}
	}
	if c := test.Count; c != nil {
		n, err := t.count(&c.Of)
		if err != nil || c.Is != nil && n != *c.Is || c.AtLeast != nil && n < *c.AtLeast || c.AtMost != nil && n > *c.AtMost {
			return false, &Test{Count: c}, err
		}
	}
	return true, nil, nil
}

func (t *traces) count(s *Selection) (int, error) {
	c, err := t.choose(s)
	if err != nil {
		return 0, err
	}
	return len(c.indices()), nil
}

func (t *traces) askOrder(test *Test) (bool, *Test, error) {
	last := -1
	for i := range test.InOrder {
		c, err := t.choose(&test.InOrder[i])
		if err != nil {
			return false, nil, err
		}
		first := c.first()
		if first < 0 || first <= last {
			return false, &Test{InOrder: test.InOrder}, nil
		}
		last = first
	}
	return true, nil, nil
}

func (t *traces) askRequest(test *Test) (bool, *Test, error) {
	q := test.Request
	if q == nil {
		return true, nil, nil
	}
	tree, err := t.tree(q.In, q.Number)
	if err != nil {
		return false, nil, err
	}
	r := tree.Request
	holds := (q.Method == "" || q.Method == r.Method) && (q.Path == "" || funcname.MatchText(q.Path, r.Path)) &&
		(q.Status == 0 || q.Status == r.Status) && (q.Stored == "" || stored(r, q.Stored))
	return holds, &Test{Request: q}, nil
}

func stored(r *trace.Request, pattern string) bool {
	for _, s := range r.Stored {
		if funcname.MatchText(pattern, s.Op+" "+s.Key) {
			return true
		}
	}
	return false
}
