package main

import "github.com/kubeapitrace/apitrace/instrument"

// A classifier answers render's questions from the guide. It remembers: a trace
// calls the same functions again and again, and the guide has hundreds of patterns.
type classifier struct {
	guide *instrument.Guide
	known map[string]class
}

// A class is what the guide says of a function.
type class struct {
	layer, group string
	key          bool
}

func newClassifier(guide *instrument.Guide) *classifier {
	return &classifier{guide: guide, known: map[string]class{}}
}

// Layer returns the name of the first layer with a matching pattern.
func (c *classifier) Layer(function string) string { return c.class(function).layer }

// Key tells whether the function is one of the guide's steps. The step's versions
// do not matter: under that name it is that step.
func (c *classifier) Key(function string) bool { return c.class(function).key }

// Group returns the label that the function's step gives.
func (c *classifier) Group(function string) string { return c.class(function).group }

func (c *classifier) class(function string) class {
	found, ok := c.known[function]
	if !ok {
		found = c.look(function)
		c.known[function] = found
	}
	return found
}

func (c *classifier) look(function string) class {
	var found class
	for _, step := range c.guide.Steps {
		if step.Function.Match(function) {
			found.key, found.group = true, step.Group
			break
		}
	}
	for _, layer := range c.guide.Layers {
		for _, pattern := range layer.Match {
			if pattern.Match(function) {
				found.layer = layer.Name
				return found
			}
		}
	}
	return found
}
