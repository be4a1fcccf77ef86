package checkout

import (
	"context"
	"fmt"
	"path"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/kubeapitrace/apitrace/instrument/source"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/session/sides"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// OnPath describes the part of a change between two checkouts that traces cannot
// show: which called functions have another text, which calls these functions gained or
// lost, and how many other scenarios call changed functions. It returns nil if no side
// is a checkout. If one side is a release, the checkout's repository must have its tag.
// Otherwise OnPath returns a remark that the texts were not compared.
func OnPath(ctx context.Context, c *sides.Compared) ([]message.Message, error) {
	names := [2]string{c.CheckoutA.Name, c.CheckoutB.Name}
	if names[0] == "" && names[1] == "" {
		return nil, nil
	}
	var both [2]Checkout
	for i := range both {
		if names[i] == "" {
			continue
		}
		var err error
		if both[i], err = parse(ctx, names[i]); err != nil {
			return nil, err
		}
	}
	for i, release := range [2]string{c.A.K8sVersion, c.B.K8sVersion} {
		if names[i] != "" {
			continue
		}
		dir := both[1-i].Dir
		tagged, err := parse(ctx, dir+"@"+release)
		if err != nil {
			return []message.Message{message.Of("the texts of the functions were not compared: the repository in %s has no tag %s", dir, release)}, nil
		}
		both[i], names[i] = tagged, dir+"@"+release
	}
	if both[0].Dir != both[1].Dir {
		return []message.Message{message.Of("the texts of the functions were not compared: %s and %s are two work trees", both[0].Dir, both[1].Dir)}, nil
	}
	if both[0] == both[1] {
		return nil, nil
	}
	return onPath(ctx, c, both, names)
}

func onPath(ctx context.Context, c *sides.Compared, both [2]Checkout, names [2]string) ([]message.Message, error) {
	changes, _, err := Changes(ctx, both[0], both[1])
	if err != nil {
		return nil, err
	}
	release, err := both[0].recorded(ctx)
	if err != nil {
		return nil, err
	}
	report, err := Affected(release, changes)
	if err != nil {
		return nil, err
	}
	code, err := recordings.CodeOf(release)
	if err != nil {
		return nil, err
	}
	ran := called(c.A, c.B)
	var remarks []message.Message
	for _, f := range report.Functions {
		if ran[declared(f.Name)] {
			remarks = append(remarks, touched(code, f.Change))
		}
	}
	if len(remarks) == 0 {
		remarks = append(remarks, message.Of("no function that ran has another text"))
	}
	others := slices.DeleteFunc(report.scenarios(), func(s string) bool { return s == c.B.Scenario })
	if len(others) > 0 {
		remarks = append(remarks, message.Of("other recorded scenarios that call changed functions: %d; \"apitrace affected %s %s\" lists them", len(others), text.ShellWord(names[0]), text.ShellWord(names[1])))
	}
	return remarks, nil
}

// recorded returns the recorded release nearest to the checkout.
func (c Checkout) recorded(ctx context.Context) (string, error) {
	nearest := c.Release(ctx)
	if nearest == "" {
		nearest, _, _ = c.SourceRelease(ctx) // if this fails, the newest release is used
	}
	if release, err := recordings.Resolve(semver.MajorMinor(nearest)); err == nil {
		return release, nil
	}
	return recordings.Resolve(recordings.Latest)
}

// called returns the declared functions that recordings call.
func called(all ...*trace.Recording) map[string]bool {
	names := map[string]bool{}
	for _, rec := range all {
		for i := range rec.Requests {
			for j := range rec.Requests[i].Calls {
				names[declared(rec.Requests[i].Calls[j].Function)] = true
			}
		}
	}
	return names
}

// touched describes how the text of a function changed.
func touched(code *recordings.Code, c source.Change) message.Message {
	place := fmt.Sprintf("%s:%d", path.Join(path.Base(path.Dir(c.File)), path.Base(c.File)), c.Line)
	said := message.Of("the text of %s changed (%s)", funcname.Short(c.Name), place)
	if names := textsOf(c.New); len(names) > 0 {
		said = message.Of("%s; it has more calls of %s", said, message.List(names))
	}
	if names := textsOf(c.Gone); len(names) > 0 {
		said = message.Of("%s; it has fewer calls of %s", said, message.List(names))
	}
	if names := unseen(code, slices.Concat(c.New, c.Gone)); len(names) > 0 {
		said = message.Of("%s; no trace shows calls of %s: its package is not traced, or it has no span", said, message.List(names))
	}
	return said
}

func textsOf(calls []source.Called) (names []string) {
	for _, c := range calls {
		names = append(names, c.Text)
	}
	return names
}

// unseen lists the called functions known to have no span.
func unseen(code *recordings.Code, calls []source.Called) (names []string) {
	for _, c := range calls {
		if c.Function == "" {
			continue
		}
		if s := state(code, c.Function); s == NoSpan || s == NotTraced {
			names = append(names, c.Text)
		}
	}
	return names
}
