package view

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// A CausalStory is what requests caused, for readers.
type CausalStory struct {
	Lines   []CausalLine `json:"lines" description:"The lines, each below its cause; empty if nothing was caused."`
	Remarks []string     `json:"remarks" description:"What was still to come at the end, what the recording lacks, and what is not as in a real cluster."`
}

// A CausalLine is a decision of a program, or a request that changed something or failed. A
// call proves it.
type CausalLine struct {
	Level   int    `json:"level" description:"How many lines caused this one."`
	Time    string `json:"time" description:"Time since the first line."`
	SinceNs int64  `json:"sinceNs" description:"The same in nanoseconds."`
	Actor   string `json:"actor" description:"Who did it."`
	Text    string `json:"text" description:"What was done."`
	Rank    int    `json:"rank" description:"Place in the order of time, counted from 0. A line never precedes its cause."`
	Request int    `json:"request" description:"Number of the request or event with the call that proves it, counted from 1."`
	Call    int    `json:"call" description:"Index of this call. For a refused request, this is the call in which the error began, if that is known."`
	Decided bool   `json:"decided,omitempty" description:"Whether this is a decision of a program, not a request to kube-apiserver."`
	Failed  bool   `json:"failed,omitempty" description:"Whether kube-apiserver refused a request."`
}

// ByTime returns the indices of the lines in the order of their ranks.
func (s *CausalStory) ByTime() []int {
	order := make([]int, len(s.Lines))
	for i, l := range s.Lines {
		order[l.Rank] = i
	}
	return order
}

// rank sets the ranks of the lines.
func (s *CausalStory) rank() {
	order, at := make([]int, len(s.Lines)), make([]int64, len(s.Lines))
	for i := range order {
		order[i], at[i] = i, s.Lines[i].SinceNs
		if cause := s.Cause(i); cause >= 0 {
			at[i] = max(at[i], at[cause])
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[a], at[b]) })
	for rank, i := range order {
		s.Lines[i].Rank = rank
	}
}

// Cause returns the index of the line that caused line i, or -1.
func (s *CausalStory) Cause(i int) int {
	for above := i - 1; above >= 0; above-- {
		if s.Lines[above].Level < s.Lines[i].Level {
			return above
		}
	}
	return -1
}

// NewCausalStory returns the story of a recording. lang is "en" or "zh". The story has no
// requests that only read, and no Events for people, unless they failed.
func NewCausalStory(rec *trace.Recording, classifier Classifier, lang string) *CausalStory {
	story := &CausalStory{Lines: []CausalLine{}, Remarks: []string{}}
	if !slices.ContainsFunc(rec.Requests, func(r trace.Request) bool { return r.Cause != (trace.Cause{}) }) {
		return story
	}
	words := message.For(lang)
	root := tellConsequences(rec, classifier)
	story.Lines = root.flatten(root.at, 0, story.Lines, words)
	story.rank()
	for _, remark := range causalRemarks(rec) {
		story.Remarks = append(story.Remarks, remark.Localize(words))
	}
	return story
}

// causalRemarks describes the end of a recording, the gaps in it, and its differences from a
// real cluster.
func causalRemarks(rec *trace.Recording) (all []message.Message) {
	complete := true
	var running []string
	for i := range rec.Requests {
		r := &rec.Requests[i]
		for _, lack := range r.Lacks() {
			complete = false
			if !slices.ContainsFunc(all, func(m message.Message) bool { return m.String() == lack.String() }) {
				all = append(all, lack)
			}
		}
		if slices.ContainsFunc(r.Calls, func(c trace.Call) bool { return c.Unfinished }) {
			running = append(running, strconv.Itoa(i+1))
		}
	}
	begun := rec.Requests[0].Start
	for _, p := range trace.Waiting(rec.Requests) {
		if p.Due.IsZero() {
			complete = false
			all = append(all, saysUntaken.With(p.Process, p.Item, p.Queue))
		} else {
			all = append(all, saysTimer.With(p.Process, p.Item, p.Due.Sub(begun).Round(time.Second)))
		}
	}
	if len(running) > 0 {
		all = append(all, saysGoesOn.With(message.List(running)))
	}
	if complete {
		all = append(all, saysComplete)
	}
	if slices.ContainsFunc(rec.Requests, exceedsQuota) {
		all = append(all, saysQuota)
	}
	if slices.ContainsFunc(rec.Requests, func(r trace.Request) bool { return r.Calls[0].Process == trace.ProcessKubelet }) {
		all = append(all, saysHollow)
	}
	return all
}

// exceedsQuota reports whether a request was refused because of a ResourceQuota.
func exceedsQuota(r trace.Request) bool {
	return r.Status == http.StatusForbidden && slices.ContainsFunc(r.Calls, func(c trace.Call) bool {
		return strings.Contains(c.Attributes[trace.AttrError], "exceeded quota")
	})
}

// shortTime writes a time in few columns.
func shortTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2fs", d.Seconds())
}

// A toldLine is a line with the lines that it caused. The root has only the time of the first line,
// and lines below.
type toldLine struct {
	at            time.Time
	actor, text   message.Message
	request, call int
	// decided is set for a decision, failed for a refused request.
	decided, failed bool
	below           []*toldLine
}

// tellConsequences returns the root of the lines about a recording.
func tellConsequences(rec *trace.Recording, classifier Classifier) *toldLine {
	t := &consequenceTeller{rec: rec, classifier: classifier, causedBy: map[trace.Cause][]int{}, kinds: map[string]string{}, callOf: map[string]eventCall{}, causeOf: map[trace.Cause]int{}}
	for i := range rec.Requests {
		r := &rec.Requests[i]
		t.causedBy[r.Cause] = append(t.causedBy[r.Cause], i)
	}
	for i := range rec.Requests {
		t.note(i)
	}
	root := &toldLine{}
	for _, i := range t.causedBy[trace.Cause{}] {
		t.request(i, saysClient, intent{}, origin{}, root)
	}
	if len(root.below) > 0 {
		root.at = slices.MinFunc(root.below, byTime).at
	}
	return root
}

func byTime(a, b *toldLine) int { return a.at.Compare(b.at) }

// flatten appends the lines below l to all, in the order of their time, each followed by the
// lines below it. begun is the time of the first line.
func (l *toldLine) flatten(begun time.Time, level int, all []CausalLine, words message.Printer) []CausalLine {
	slices.SortStableFunc(l.below, byTime)
	for _, b := range l.below {
		all = append(all, CausalLine{
			Level: level, Time: shortTime(b.at.Sub(begun)), SinceNs: b.at.Sub(begun).Nanoseconds(), Actor: b.actor.Localize(words), Text: b.text.Localize(words),
			Request: b.request + 1, Call: b.call, Decided: b.decided, Failed: b.failed,
		})
		all = b.flatten(begun, level+1, all, words)
	}
	return all
}

type consequenceTeller struct {
	rec        *trace.Recording
	classifier Classifier
	// causedBy lists what a call caused, in order.
	causedBy map[trace.Cause][]int
	// kinds has the kind of the objects of a resource, if an event has told it.
	kinds map[string]string
	// callOf has the calls of events, by ID.
	callOf map[string]eventCall
	// causeOf has, by what caused an event, the request with that call.
	causeOf map[trace.Cause]int
}

// An eventCall is a call of an event. Both are indices.
type eventCall struct{ event, call int }

// note notes what a request or an event says about others.
func (t *consequenceTeller) note(i int) {
	r := &t.rec.Requests[i]
	for j := range r.Calls {
		id := r.Calls[j].ID
		if r.IsEvent() {
			t.callOf[id] = eventCall{i, j}
		}
		if cause := (trace.Cause{TraceID: r.TraceID, Call: id}); len(t.causedBy[cause]) > 0 {
			t.causeOf[cause] = i
		}
	}
	resource, _, _ := r.Resource()
	if kind, _ := t.writtenObject(r); kind != "" {
		t.kinds[resource] = kind
	}
}

// others lists the requests whose events are further causes of a call: an event gave the same
// work, which waited already. event is the event that the call belongs to.
func (t *consequenceTeller) others(call *trace.Call, event int) (requests []int) {
	for _, id := range call.Causes() {
		by, ok := t.callOf[id]
		if !ok || by.event == event {
			continue
		}
		request, ok := t.causeOf[t.rec.Requests[by.event].Cause]
		if ok && !slices.Contains(requests, request) {
			requests = append(requests, request)
		}
	}
	return requests
}

// waited returns how long work waited for the timer of a queue, from which the call took it. It
// returns 0 if a call that gave the work is not known. Work that several calls gave has several
// timers, and a recording does not say which of them was the first to fire. So the time counts
// from the last of these calls: at least so long the work waited for nothing but a timer.
func (t *consequenceTeller) waited(call *trace.Call) time.Duration {
	var given time.Time
	for _, id := range append([]string{call.Parent}, call.Causes()...) {
		by, ok := t.callOf[id]
		if !ok {
			return 0
		}
		if at := t.startOf(by.event, by.call); at.After(given) {
			given = at
		}
	}
	taken := t.callOf[call.ID]
	return t.startOf(taken.event, taken.call).Sub(given)
}

// startOf returns when a call of a request began.
func (t *consequenceTeller) startOf(request, call int) time.Time {
	r := &t.rec.Requests[request]
	return r.Start.Add(time.Duration(r.Calls[call].StartNs))
}

// add adds a line below another, proved by a call.
func (t *consequenceTeller) add(below *toldLine, actor, text message.Message, request, call int, failed bool) *toldLine {
	l := &toldLine{at: t.startOf(request, call), actor: actor, text: text, request: request, call: call, failed: failed}
	below.below = append(below.below, l)
	return l
}

// An intent is what a program is about to write, as far as that is known.
type intent struct{ status, replicas *message.Message }

// request tells of a request, and of the events of what it wrote.
func (t *consequenceTeller) request(i int, actor message.Message, with intent, from origin, below *toldLine) {
	r := &t.rec.Requests[i]
	if text, failed, told := t.said(r, with, from); told {
		below = t.add(below, actor, text, i, 0, failed)
		if failed {
			below.call = t.beganAt(r)
		}
	}
	for j := range r.Calls {
		for _, event := range t.caused(r, j) {
			t.event(event, below)
		}
	}
}

// beganAt returns the call of a failed request in which the error began, or 0.
func (t *consequenceTeller) beganAt(r *trace.Request) int {
	path := ErrorPathOf(trace.TreeOfValid(r), t.classifier)
	if path == nil || len(path.Steps) == 0 {
		return 0
	}
	return path.Steps[0].Call
}

// caused lists what a call of a request caused.
func (t *consequenceTeller) caused(r *trace.Request, call int) []int {
	return t.causedBy[trace.Cause{TraceID: r.TraceID, Call: r.Calls[call].ID}]
}

// event tells of the decisions of a program because of an event, and of its requests.
func (t *consequenceTeller) event(i int, below *toldLine) {
	r := &t.rec.Requests[i]
	tree := trace.TreeOfValid(r)
	lines, statuses, origins := make([]*toldLine, len(r.Calls)), make([]*message.Message, len(r.Calls)), make([]origin, len(r.Calls))
	for j := range r.Calls {
		lines[j] = below
		p := tree.Parent(j)
		if p >= 0 {
			lines[j], statuses[j], origins[j] = lines[p], statuses[p], origins[p]
		}
		if others := t.others(&r.Calls[j], i); len(others) > 0 {
			origins[j].also = others
		}
		if r.Calls[j].Attributes[trace.AttrHandoff] == trace.HandoffTimer {
			origins[j].waited = t.waited(&r.Calls[j])
		}
		if status := writtenStatus(&r.Calls[j]); status != nil {
			if statuses[j] = status; p >= 0 {
				statuses[p] = status // what follows in the caller writes what was counted
			}
		}
		if text, ok := decisionOf(tree, j); ok {
			lines[j] = t.add(lines[j], actorOf(tree, j), origins[j].addTo(text), i, j, false)
			lines[j].decided = true
			origins[j] = origin{} // said
		}
		for _, sent := range t.caused(r, j) {
			t.request(sent, actorOf(tree, j), intent{status: statuses[j], replicas: scaledTo(tree, j)}, origins[j], lines[j])
		}
	}
}

// An origin says where the work of a line came from.
type origin struct {
	// also has the requests that are further causes.
	also []int
	// waited is how long the work waited for a timer.
	waited time.Duration
}

// leastWait is the shortest wait for a timer that a line tells. A queue's rate limiter begins
// with 5 ms and doubles: its first waits are as short as the work itself, and explain no gap
// between the times of a story.
const leastWait = 100 * time.Millisecond

// addTo adds the origin to the text of a line.
func (o origin) addTo(text message.Message) message.Message {
	numbers := make([]string, len(o.also))
	for i, request := range o.also {
		numbers[i] = strconv.Itoa(request + 1)
	}
	switch waited := o.waited >= leastWait; {
	case waited && len(o.also) > 0:
		return saysWaitedAlso.With(text, shortTime(o.waited), message.List(numbers))
	case waited:
		return saysWaited.With(text, shortTime(o.waited))
	case len(o.also) > 0:
		return saysAlso.With(text, message.List(numbers))
	}
	return text
}

// said returns what a request did. told is false if it changed nothing and did not fail, or
// only wrote an Event for people.
func (t *consequenceTeller) said(r *trace.Request, with intent, from origin) (text message.Message, failed, told bool) {
	resource, name, subresource := r.Resource()
	object := strings.TrimSpace(cmp.Or(t.kinds[resource], resource) + " " + name)
	if kind, written := t.writtenObject(r); kind != "" {
		object = kind + " " + written
	}
	text = from.addTo(t.done(r, object, subresource, with))
	switch wrote := slices.ContainsFunc(r.Calls, func(c trace.Call) bool { return c.Write() != 0 }); {
	case r.Status >= http.StatusBadRequest:
		text = saysRefusedWith.With(text, r.Status, http.StatusText(r.Status))
		tree := trace.TreeOfValid(r)
		if i := firstWith(tree, 0, trace.AttrError); i >= 0 {
			reason := r.Calls[i].Attributes[trace.AttrError]
			if first := t.changedFirst(tree); first >= 0 && strings.Contains(reason, isModified) {
				text = saysChangedFirst.With(text, first+1)
			}
			text = saysBecause.With(text, reason)
		}
		return text, true, true
	case !wrote || resource == "events":
		return text, false, false
	}
	return text, false, true
}

// isModified is part of the error of an update of an object that another request changed: see
// OptimisticLockErrorMsg in pkg/registry/generic/registry/store.go of k8s.io/apiserver, v0.30 and
// v0.37.
const isModified = "the object has been modified"

// changedFirst returns the request that wrote the object as the refused update of this object found
// it in etcd, or -1.
func (t *consequenceTeller) changedFirst(tree *trace.Tree) int {
	for i := tree.Len() - 1; i >= 0; i-- {
		found, _ := strconv.ParseInt(tree.Call(i).Attributes[attrModRevision], 10, 64)
		if found == 0 {
			continue
		}
		at := i
		for at >= 0 && tree.Call(at).Attributes[trace.AttrStorageKey] == "" {
			at = tree.Parent(at)
		}
		if at < 0 {
			continue
		}
		key := tree.Call(at).Attributes[trace.AttrStorageKey]
		return slices.IndexFunc(t.rec.Requests, func(r trace.Request) bool {
			return slices.ContainsFunc(r.Stored, func(k trace.StoredKey) bool { return k.Revision == found && strings.HasSuffix(k.Key, key) })
		})
	}
	return -1
}

// writtenObject returns the object that a request wrote, from the events of the write, or "".
func (t *consequenceTeller) writtenObject(r *trace.Request) (kind, name string) {
	for i := range r.Calls {
		if events := t.caused(r, i); len(events) > 0 {
			a := t.rec.Requests[events[0]].Calls[0].Attributes
			return a[trace.AttrObjectType][strings.LastIndexByte(a[trace.AttrObjectType], '.')+1:], a[trace.AttrObjectName]
		}
	}
	return "", ""
}

// lastChange returns the type of the watch's event of the last write of a request, or "" if no
// program has taken one.
func (t *consequenceTeller) lastChange(r *trace.Request) (change string) {
	for i := range r.Calls {
		for _, event := range t.caused(r, i) {
			change = t.rec.Requests[event].Calls[0].Attributes[trace.AttrWatchEvent]
		}
	}
	return change
}

// done returns what a request does to an object.
func (t *consequenceTeller) done(r *trace.Request, object, subresource string, with intent) message.Message {
	switch {
	case r.Method == http.MethodGet:
		return saysReads.With(object)
	case subresource == "binding":
		if at := firstWith(trace.TreeOfValid(r), 0, attrNode); at >= 0 {
			return saysBindsTo.With(object, r.Calls[at].Attributes[attrNode])
		}
		return saysBinds.With(object) // a recording without the value
	case subresource == "finalize" && t.lastChange(r) == watchDeleted:
		return saysFinalizesLast.With(object)
	case subresource == "finalize":
		return saysFinalizes.With(object)
	case subresource != "" && with.status != nil:
		return saysWritesStatus.With(subresource, object, *with.status)
	case subresource != "":
		return saysWrites.With(subresource, object)
	}
	// An update deletes an object only if it is marked as deleted and has no finalizer left: see
	// ShouldDeleteDuringUpdate in pkg/registry/generic/registry/store.go of k8s.io/apiserver, v0.30
	// and v0.37.
	removed := slices.ContainsFunc(r.Stored, func(k trace.StoredKey) bool { return k.Op == "DELETE" })
	switch {
	case r.Method == http.MethodPost:
		return saysCreates.With(object)
	case removed && (r.Method == http.MethodPatch || r.Method == http.MethodPut):
		return saysFinalizesLast.With(object)
	case r.Method == http.MethodPatch:
		return saysPatches.With(object)
	case r.Method == http.MethodDelete && t.lastChange(r) == watchModified:
		return saysMarks.With(object)
	case r.Method == http.MethodDelete:
		return saysDeletes.With(object)
	case with.replicas != nil:
		return saysScales.With(object, *with.replicas)
	}
	return saysUpdates.With(object)
}

// writtenStatus returns what a status has, if a call counts that or is about to write it.
func writtenStatus(call *trace.Call) *message.Message {
	a := call.Attributes
	switch {
	case a[attrPods] != "":
		text := message.Plural(number(a[attrPods]), "%s pod, %s ready", "%s pods, %s ready", a[attrPods], a[attrReady])
		return &text
	case a[attrPhase] != "" && strings.HasSuffix(call.ShortName(), ").syncPod"):
		text := saysPhase.With(a[attrPhase])
		return &text
	case a[attrCondition] != "":
		text := saysCondition.With(a[attrCondition], a[attrConditionStatus], a[attrConditionReason])
		return &text
	}
	return nil
}

// scaledTo returns the number of replicas that a call writes into a ReplicaSet, or nil.
func scaledTo(tree *trace.Tree, i int) *message.Message {
	if at := within(tree, i, ").scaleReplicaSet"); at >= 0 {
		text := saysScaled.With(tree.Call(at).Attributes[attrWanted])
		return &text
	}
	return nil
}

// within returns the nearest call from i upwards whose short name ends with a suffix, or -1.
func within(tree *trace.Tree, i int, suffix string) int {
	for i >= 0 && !strings.HasSuffix(tree.Call(i).ShortName(), suffix) {
		i = tree.Parent(i)
	}
	return i
}

// actors are the names of the programs that have one job.
var actors = map[string]message.Message{"kube-scheduler": saysScheduler, "hollow-kubelet": saysKubelet}

// controllerNames has, by folder, the names of controllers that have other names than their
// folders.
var controllerNames = map[string]message.Message{"garbagecollector": saysGarbage, "certificates/rootcacertpublisher": saysRootCA}

// controllers is the folder of the controllers' packages.
const controllers = "k8s.io/kubernetes/pkg/controller/"

// actorOf returns who makes a call: the controller whose function is nearest above it, or
// the program.
func actorOf(tree *trace.Tree, i int) message.Message {
	for at := i; at >= 0; at = tree.Parent(at) {
		if rest, ok := strings.CutPrefix(tree.Call(at).Function, controllers); ok {
			folder, _, _ := strings.Cut(rest, ".")
			if known, ok := controllerNames[folder]; ok {
				return known
			}
			name, _, _ := strings.Cut(folder, "/")
			return saysController.With(name)
		}
	}
	process := tree.Call(i).Process
	if actor, ok := actors[process]; ok {
		return actor
	}
	return saysProgram.With(process)
}

// number returns the number that a value is, or 0.
func number(value string) int {
	n, _ := strconv.Atoi(value)
	return n
}

// decisionOf returns what a call decided, if that is worth a line.
func decisionOf(tree *trace.Tree, i int) (message.Message, bool) {
	call := tree.Call(i)
	a := call.Attributes
	switch name := call.ShortName(); {
	case strings.HasSuffix(name, ").manageReplicas") && a[attrWanted] != a[attrFound]:
		return message.Plural(number(a[attrWanted]), "wants %s pod, has %s", "wants %s pods, has %s", a[attrWanted], a[attrFound]), true
	case strings.HasSuffix(name, ".slowStartBatch") && a[attrDone] != "" && a[attrDone] != a[attrCount]:
		return saysStopped.With(a[attrDone], a[attrCount]), true
	case strings.HasSuffix(name, ").schedulePod") && a[attrHost] == "":
		if reason := call.Error; reason != "" {
			return saysBecause.With(saysFitsNowhere, reason), true
		}
		return saysFitsNowhere, true
	case strings.HasSuffix(name, ").schedulePod"):
		return saysFits.With(a[attrEvaluated], a[attrFeasible], a[attrHost]), true
	case strings.HasSuffix(name, ").runFilterPlugin") && a[attrVerdict] != "" && a[attrVerdict] != "Success":
		return saysPluginRefuses.With(a[attrPlugin], a[attrReason]), true
	case strings.HasSuffix(name, ").runPostFilterPlugin") && a[attrReason] != "":
		return saysNoRoom.With(a[attrPlugin], a[attrReason]), true
	case strings.HasSuffix(name, ").addOrUpdate") && isRequeued(tree, i):
		return saysSetAside, true
	case strings.HasSuffix(name, ").moveToBackoffQ") && isRequeued(tree, i):
		return saysBacksOff, true
	case strings.HasSuffix(name, ").WaitForAttachAndMount") && call.DurationNs >= int64(time.Millisecond):
		return saysVolumes.With(time.Duration(call.DurationNs).Round(time.Millisecond), a[trace.AttrObjectName]), true
	case strings.HasSuffix(name, ").createPodSandbox"):
		return saysSandbox.With(a[trace.AttrObjectName]), true
	case strings.HasSuffix(name, ").startContainer"):
		return saysStarts.With(a[attrContainer], a[trace.AttrObjectName]), true
	case strings.HasSuffix(name, ").killContainer"):
		return saysStops.With(a[attrContainer], a[trace.AttrObjectName]), true
	}
	return message.Message{}, false
}

// isRequeued reports whether a call returns a pod to the scheduling queue that no node can run.
func isRequeued(tree *trace.Tree, i int) bool {
	return within(tree, i, ").AddUnschedulablePodIfNotPresent") >= 0 || within(tree, i, ").AddUnschedulableIfNotPresent") >= 0
}

// These are types of a watch's event: of an object that was changed, and of one that is gone.
const (
	watchModified = "MODIFIED"
	watchDeleted  = "DELETED"
)

// The values of decisions; see the guide's steps of controllers, scheduler and kubelet.
const (
	attrWanted    = "apitrace.replicas.wanted"
	attrFound     = "apitrace.replicas.found"
	attrHost      = "apitrace.scheduler.host"
	attrNode      = "apitrace.node.name"
	attrEvaluated = "apitrace.scheduler.evaluated"
	attrFeasible  = "apitrace.scheduler.feasible"
	attrPlugin    = "apitrace.scheduler.plugin"
	attrVerdict   = "apitrace.scheduler.verdict"
	attrReason    = "apitrace.scheduler.reason"
	attrPhase     = "apitrace.pod.phase"
	attrPods      = "apitrace.status.pods"
	attrReady     = "apitrace.status.ready"
	attrContainer = "apitrace.container"
	attrCount     = "apitrace.count"
	attrDone      = "apitrace.count.done"

	attrCondition       = "apitrace.condition.type"
	attrConditionStatus = "apitrace.condition.status"
	attrConditionReason = "apitrace.condition.reason"

	// attrModRevision is the revision that wrote a decoded object.
	attrModRevision = "apitrace.etcd.mod_revision"
)

// The lines of what requests caused.
var (
	saysClient     = message.Of("client")
	saysScheduler  = message.Of("scheduler")
	saysKubelet    = message.Of("kubelet")
	saysController = message.Of("%s controller")
	saysGarbage    = message.Of("garbage collector")
	saysRootCA     = message.Of("publisher of the root CA")
	saysProgram    = message.Of("%s")

	saysReads         = message.Of("reads %s")
	saysCreates       = message.Of("creates %s")
	saysUpdates       = message.Of("updates %s")
	saysScales        = message.Of("scales %s to %s")
	saysScaled        = message.Of("%s")
	saysPatches       = message.Of("patches %s")
	saysDeletes       = message.Of("deletes %s")
	saysMarks         = message.Of("marks %s as deleted")
	saysFinalizes     = message.Of("removes its finalizer from %s")
	saysFinalizesLast = message.Of("removes the last finalizer from %s, which deletes it")
	saysBinds         = message.Of("binds %s to the node")
	saysBindsTo       = message.Of("binds %s to node %s")
	saysWrites        = message.Of("writes the %s of %s")
	saysWritesStatus  = message.Of("writes the %s of %s: %s")
	saysPhase         = message.Of("%s")
	saysCondition     = message.Of("%s is %s, %s")
	saysAlso          = message.Of("%s (also because of %s)")
	saysWaited        = message.Of("%s (after waiting %s for a timer)")
	saysWaitedAlso    = message.Of("%s (after waiting %s for a timer, also because of %s)")
	saysRefusedWith   = message.Of("%s: refused with %d %s")
	saysChangedFirst  = message.Of("%s, because %d had changed the object")
	saysBecause       = message.Of("%s: %s")

	saysTimer   = message.Of("%s looks at %q again after %v")
	saysGoesOn  = message.Of("When the recording ended, calls of these were still running, such as watches: %s.")
	saysUntaken = message.Of("%s has not yet worked on %q (queue %s)")
	// See FakeManager.UpdatePodStatus in pkg/kubelet/prober/testing/fake_manager.go, v1.30 and v1.37.
	saysHollow = message.Of("The kubelet is upstream's hollow one: its containers are fake, and count as ready before they run.")
	// See quotaEvaluator.doWork in pkg/admission/plugin/resourcequota/controller.go of
	// k8s.io/apiserver, v0.30 and v0.37.
	saysQuota    = message.Of("A worker inside kube-apiserver also counts what quotas allow. What this worker writes into a ResourceQuota is not part of the trace; the resourcequota controller's writes are.")
	saysComplete = message.Of("No other work that the requests caused was queued or running at the end.")

	saysFits          = message.Of("%[2]s of %[1]s nodes can run the pod; selects %[3]s")
	saysFitsNowhere   = message.Of("no node can run the pod")
	saysNoRoom        = message.Of("plugin %s cannot make room for the pod: %s")
	saysSetAside      = message.Of("keeps the pod until an event may let it run")
	saysBacksOff      = message.Of("queues the pod again, for the time after a backoff")
	saysStopped       = message.Of("creates %s of %s pods and stops at an error")
	saysPluginRefuses = message.Of("plugin %s refuses the node: %s")
	saysVolumes       = message.Of("waits %v for the volumes of %s")
	saysSandbox       = message.Of("creates the sandbox of %s")
	saysStarts        = message.Of("starts the container %s of %s")
	saysStops         = message.Of("stops the container %s of %s")
)
