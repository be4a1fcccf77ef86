package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/trace/recordings"
	"github.com/kubeapitrace/apitrace/view/viewtest"
)

func TestCausalStory(t *testing.T) {
	if story := NewCausalStory(&trace.Recording{Requests: []trace.Request{{}}}, viewtest.ByName{}, "en"); len(story.Lines)+len(story.Remarks) > 0 {
		t.Errorf("of a recording without causes, got %+v", story)
	}
	checkStory(t, viewtest.FollowedDeployment(), []string{
		"1 client creates Deployment web (0ms, failed false)",
		"3   deployment controller creates ReplicaSet web-1 (20ms, failed false)",
		"4     replicaset controller wants 2 pods, has 0 (also because of 1) (38ms, failed false)",
		"5       replicaset controller creates Pod web-1-a (40ms, failed false)",
		"7         scheduler 1 of 1 nodes can run the pod; selects n1 (74ms, failed false)",
		"8           scheduler binds Pod web-1-a to node n1 (70ms, failed false)",
		"9             kubelet starts the container nginx of web-1-a (98ms, failed false)",
		"10               kubelet writes the status of Pod web-1-a (90ms, failed false)",
		"11   deployment controller writes the status of Deployment web: refused with 409 Conflict: the object has been modified (100ms, failed true)",
	})
}

func checkStory(t *testing.T, rec *trace.Recording, want []string) {
	t.Helper()
	var got []string
	for _, l := range NewCausalStory(rec, viewtest.ByName{}, "en").Lines {
		got = append(got, fmt.Sprintf("%d %s%s %s (%s, failed %t)", l.Request, strings.Repeat("  ", l.Level), l.Actor, l.Text, l.Time, l.Failed))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestCausalStoryOfRefusals checks the lines about what was refused, scaled and deleted.
func TestCausalStoryOfRefusals(t *testing.T) {
	checkStory(t, viewtest.FollowedRefusals(), []string{
		"1 client writes the scale of Deployment web (0ms, failed false)",
		"3   deployment controller scales ReplicaSet web-1 to 2 (20ms, failed false)",
		"4     replicaset controller creates 1 of 2 pods and stops at an error (38ms, failed false)",
		"5       replicaset controller creates Pod web-1-a (40ms, failed false)",
		"9         scheduler writes the status of Pod web-1-a: PodScheduled is False, Unschedulable (80ms, failed false)",
		"8         scheduler no node can run the pod: 0/1 nodes are available (84ms, failed false)",
		"8           scheduler plugin NodeAffinity refuses the node: no match (85ms, failed false)",
		"8         scheduler plugin DefaultPreemption cannot make room for the pod: not helpful (86ms, failed false)",
		"8         scheduler keeps the pod until an event may let it run (89ms, failed false)",
		"6       replicaset controller creates Pod: refused with 403 Forbidden: exceeded quota (50ms, failed true)",
		"7       replicaset controller reads Pod web-1-a: refused with 403 Forbidden: not allowed (60ms, failed true)",
		"11 client marks Pod web-1-a as deleted (100ms, failed false)",
		"13 client deletes Pod web-1-a (120ms, failed false)",
		"15   garbage collector deletes ReplicaSet web-1 (140ms, failed false)",
		"16 client removes the last finalizer from Namespace default, which deletes it (150ms, failed false)",
	})
	quota := saysQuota.String()
	if got := NewCausalStory(viewtest.FollowedRefusals(), viewtest.ByName{}, "en").Remarks; !slices.Contains(got, quota) {
		t.Errorf("the remarks are %q, expected one about quotas", got)
	}
	if got := NewCausalStory(viewtest.FollowedDeployment(), viewtest.ByName{}, "en").Remarks; slices.Contains(got, quota) {
		t.Errorf("the remarks are %q, expected none about quotas", got)
	}
}

// TestCausalStoryByTime checks that lines are in the order of time, but not before their causes.
func TestCausalStoryByTime(t *testing.T) {
	story := &CausalStory{Lines: []CausalLine{
		{Level: 0, SinceNs: 0}, {Level: 1, SinceNs: 50}, {Level: 2, SinceNs: 40}, {Level: 1, SinceNs: 20}, {Level: 0, SinceNs: 30},
	}}
	story.rank()
	if got, want := story.ByTime(), []int{0, 3, 4, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("got the order %v, expected %v", got, want)
	}
	for i, want := range []int{-1, 0, 1, 0, -1} {
		if got := story.Cause(i); got != want {
			t.Errorf("line %d is caused by line %d, expected %d", i, got, want)
		}
	}
}

// TestCausalStoryOfTimers checks that a line tells how long its work waited for a timer, if the
// recording has this wait and the wait is long.
func TestCausalStoryOfTimers(t *testing.T) {
	checkStory(t, viewtest.FollowedTimers(), []string{
		"1 client marks Namespace a as deleted (0ms, failed false)",
		"3   kube-controller-manager deletes pods a (after waiting 5.00s for a timer) (20ms, failed false)",
		"5   kube-controller-manager deletes pods b (after waiting 5.00s for a timer, also because of 1) (40ms, failed false)",
		"8   kube-controller-manager deletes pods c (also because of 1) (70ms, failed false)",
		"10   kube-controller-manager deletes pods d (90ms, failed false)",
	})
}

// TestCausalStoryOfFinalizers checks that the owner goes last after a deletion in the
// foreground: an update that removes a last finalizer deletes the object.
func TestCausalStoryOfFinalizers(t *testing.T) {
	for _, release := range []string{"v1.30", "v1.37"} {
		rec, err := recordings.Load(release, "deployment-delete-foreground")
		if err != nil {
			t.Fatal(err)
		}
		story := NewCausalStory(rec, viewtest.ByName{}, "en")
		var gone []string
		for _, i := range story.ByTime() {
			if l := story.Lines[i]; l.Actor == "garbage collector" && strings.Contains(l.Text, "last finalizer") {
				gone = append(gone, strings.Join(strings.Fields(l.Text)[:6], " "))
			}
		}
		want := []string{"removes the last finalizer from ReplicaSet", "removes the last finalizer from Deployment"}
		if !slices.Equal(gone, want) {
			t.Errorf("%s: the garbage collector %q, expected %q", release, gone, want)
		}
	}
}

// TestCausalStoryOfErrors checks that a refused request leads to the call in which the error
// began. A worker checks the quota, so this is the call that waits for the worker.
func TestCausalStoryOfErrors(t *testing.T) {
	rec, err := recordings.Load("v1.37", "quota-stops-replicas")
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, l := range NewCausalStory(rec, viewtest.ByName{}, "en").Lines {
		if !strings.Contains(l.Text, "exceeded quota") || !l.Failed {
			continue
		}
		refused++
		if call := rec.Requests[l.Request-1].Calls[l.Call]; !strings.HasSuffix(call.Function, ").Evaluate") {
			t.Errorf("%q leads to %s, expected (*quotaEvaluator).Evaluate", l.Text, call.Function)
		}
	}
	if refused == 0 {
		t.Error("the story has no request that the quota refuses")
	}
}

// TestCausalStoryOfConflicts checks that the story names the request that changed an object before
// an update of the object was refused. It compares etcd's revisions.
func TestCausalStoryOfConflicts(t *testing.T) {
	for _, release := range []string{"v1.30", "v1.37"} {
		rec, err := recordings.Load(release, "deployment-rollout")
		if err != nil {
			t.Fatal(err)
		}
		conflicts := 0
		for _, l := range NewCausalStory(rec, viewtest.ByName{}, "en").Lines {
			if !strings.Contains(l.Text, isModified) {
				continue
			}
			conflicts++
			_, after, _ := strings.Cut(l.Text, "409 Conflict, because ")
			number, _, _ := strings.Cut(after, " ")
			by, err := strconv.Atoi(number)
			if err != nil {
				t.Errorf("%s: no request is named as the cause: %s", release, l.Text)
				continue
			}
			r := rec.Requests[l.Request-1]
			stored := rec.Requests[by-1].Stored
			if !slices.ContainsFunc(r.Calls, func(c trace.Call) bool {
				return slices.ContainsFunc(stored, func(k trace.StoredKey) bool {
					return c.Attributes[attrModRevision] == strconv.FormatInt(k.Revision, 10)
				})
			}) {
				t.Errorf("%s: %s: the refused request found no object of a revision that %d wrote", release, l.Text, by)
			}
			if wrote, _, _ := rec.Requests[by-1].Resource(); wrote != first(r.Resource()) {
				t.Errorf("%s: %s: %d wrote one of the %s", release, l.Text, by, wrote)
			}
		}
		if conflicts == 0 {
			t.Errorf("%s: the story has no conflict", release)
		}
	}
}

func first(resource, _, _ string) string { return resource }
