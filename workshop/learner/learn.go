package learner

import (
	"context"
	"fmt"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view"
)

// firstScenario is the scenario of the first tree that a learner sees.
const firstScenario = "get-node"

var welcome = message.Of("Welcome. Below is what the real kube-apiserver does when somebody reads a node, cut down to two layers: the handler and the registry.")

var howToRead = message.Of(`How to read it:

- A line is a call: how long it took, its function, and the file and line where the function is. A call is indented below its caller.
- Below a call are values, such as `+"`object=n1`"+`.
- `+"`%s`"+` and a number show how many calls are folded, and `+"`%s 3`"+` means that the tree continues in section 3. `+"`apitrace workshop trace --view full`"+` shows all calls.

The first three exercises take ten minutes and are about this request. `+"`apitrace learn`"+` always shows where you are, and `+"`apitrace workshop`"+` lists all chapters.`, view.SignsFor(false).Folded, view.SignsFor(false).Into)

// Fresh reports whether the learner has done nothing yet.
func (l *Learner) Fresh() bool { return l.progress.Empty() }

// Learn continues with the next exercise. For a fresh learner, it first draws a tree
// with draw and explains how to read it.
func (l *Learner) Learn(ctx context.Context, draw func(context.Context, *trace.Recording) error) error {
	if err := l.mustHaveExercises(); err != nil {
		return err
	}
	if l.Fresh() {
		recording, err := recordings.Load(l.k8s, firstScenario)
		if err != nil {
			return err
		}
		l.markdown(welcome)
		fmt.Fprintln(l.out)
		if err := draw(ctx, recording); err != nil {
			return err
		}
		fmt.Fprintln(l.out)
		l.markdown(howToRead)
		fmt.Fprintln(l.out)
	}
	return l.Next(ctx, false)
}
