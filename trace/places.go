package trace

import "slices"

// A CallName identifies a call by its function, its caller's function, and its
// position among the calls with these functions. Unlike the index of the call, it
// usually stays the same in a new recording.
type CallName struct {
	Function string
	// Caller is "" for the first call.
	Caller string
	// Nth counts from 1.
	Nth int
}

// Places finds the calls of a tree by their names.
type Places struct {
	tree       *Tree
	calls      map[[2]string][]int
	byFunction map[string][]int
}

// NewPlaces returns the Places of a tree.
func NewPlaces(tree *Tree) *Places {
	p := &Places{tree, map[[2]string][]int{}, map[string][]int{}}
	for i := range tree.Len() {
		key := p.key(i)
		p.calls[key] = append(p.calls[key], i)
		p.byFunction[key[0]] = append(p.byFunction[key[0]], i)
	}
	return p
}

func (p *Places) key(i int) [2]string {
	if parent := p.tree.Parent(i); parent >= 0 {
		return [2]string{p.tree.Call(i).Function, p.tree.Call(parent).Function}
	}
	return [2]string{p.tree.Call(i).Function, ""}
}

// Name returns the name of call i.
func (p *Places) Name(i int) CallName {
	key := p.key(i)
	at, _ := slices.BinarySearch(p.calls[key], i)
	return CallName{key[0], key[1], at + 1}
}

// Find returns the call with a name. If there is none, it returns another call of the
// function, and exact is false. It returns -1 if the function is not called.
func (p *Places) Find(name CallName) (call int, exact bool) {
	if calls := p.calls[[2]string{name.Function, name.Caller}]; len(calls) > 0 {
		return calls[min(max(name.Nth, 1), len(calls))-1], name.Nth >= 1 && name.Nth <= len(calls)
	}
	if calls := p.byFunction[name.Function]; len(calls) > 0 {
		return calls[min(max(name.Nth, 1), len(calls))-1], false
	}
	return -1, false
}
