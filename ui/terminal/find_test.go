package terminal

import (
	"strings"
	"testing"
)

// TestFind searches everything: for a function, from another recording and from a story; for a
// value; for a lesson; for nothing that exists.
func TestFind(t *testing.T) {
	m := open(t, "get-node", 100, 30)
	find := func(query string) {
		t.Helper()
		press(m, "F")
		press(m, strings.Split(query, "")...)
		if !strings.Contains(m.screen(), query) {
			t.Errorf("the screen does not show the query %q:\n%s", query, m.screen())
		}
		press(m, "enter")
	}
	shows := func(scenario, function string) {
		t.Helper()
		if call := m.forest.tree.Call(m.call()); m.rec.Scenario != scenario || !strings.HasSuffix(call.Function, function) || m.inStory || m.mode != modeTree {
			t.Errorf("%s is shown at %s (in the story: %t, mode %d), expected %s at %s", m.rec.Scenario, call.Function, m.inStory, m.mode, scenario, function)
		}
	}

	find("getResourceHandler")
	if m.mode != modePick || !strings.Contains(m.screen(), "get-node v1.37.1") {
		t.Fatalf("expected a choice of results, this recording first:\n%s", m.screen())
	}
	press(m, "enter")
	shows("get-node", "handlers.getResourceHandler")

	find("manageReplicas")
	press(m, "enter")
	if m.rec.Scenario == "get-node" || m.rec.K8sVersion != "v1.37.1" {
		t.Errorf("%s of %s is shown, expected a recording of v1.37.1 with controllers", m.rec.Scenario, m.rec.K8sVersion)
	}
	shows(m.rec.Scenario, ").manageReplicas")

	press(m, "H")
	find("(*Scheduler).schedulePod")
	press(m, "enter")
	shows(m.rec.Scenario, "(*Scheduler).schedulePod")

	find("apitrace.scheduler.host=")
	press(m, "enter")
	if host := m.forest.tree.Call(m.call()).Attributes["apitrace.scheduler.host"]; host == "" {
		t.Errorf("%s is shown, expected a call with a host", m.forest.tree.Call(m.call()).Function)
	}

	find("filter chain")
	for !strings.Contains(m.picker.all[m.picker.list()[m.picker.cursor]], "lesson: ") {
		press(m, "down")
	}
	if press(m, "enter"); m.status != "apitrace workshop lesson 02-filter-chain shows it" {
		t.Errorf("the status is %q, expected the command of the lesson", m.status)
	}

	find("watch cache")
	for !strings.HasPrefix(m.picker.all[m.picker.list()[m.picker.cursor]], "layer: Watch cache") {
		press(m, "down")
	}
	if press(m, "enter"); m.status != "apitrace show SCENARIO --layer cacher shows it" {
		t.Errorf("the status is %q, expected a command with the layer", m.status)
	}

	find("ConsistentListFromCache")
	if press(m, "enter"); m.mode != modeText || !strings.Contains(m.screen(), "v1.31.0 to v1.36.3   on") || !strings.Contains(m.screen(), "asked for in v1.36.3 by") {
		t.Errorf("the screen does not explain the feature gate:\n%s", m.screen())
	}
	if press(m, "end", "esc"); m.mode != modeTree {
		t.Errorf("esc leaves mode %d, expected the tree", m.mode)
	}

	find("authorizer/rbac/rbac.go:66")
	press(m, "enter")
	shows(m.rec.Scenario, "rbac.(*authorizingVisitor).visit")

	if find("noSuchThingAnywhere"); m.mode != modeTree || !strings.Contains(m.status, "noSuchThingAnywhere") {
		t.Errorf("the status is %q, expected an error about the text", m.status)
	}
	press(m, "&", "s", "c", "h", "e", "d", "enter")
	if press(m, "F", "x", "esc"); m.mode != modeTree || m.query != "sched" {
		t.Errorf("esc leaves mode %d and the filter %q, expected the filter as before", m.mode, m.query)
	}
}
