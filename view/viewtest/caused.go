package viewtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubeapitrace/apitrace/trace"
)

// FollowedDeployment returns a recording of what the creation of a Deployment caused, down to
// the status of its pod. Its calls are few, but named as in Kubernetes. The controller looks at
// the Deployment again after ten minutes. The key of the ReplicaSet was queued twice.
func FollowedDeployment() *trace.Recording {
	var rec causedRecording
	const deployments, replicaSets, pods = "/apis/apps/v1/namespaces/default/deployments", "/apis/apps/v1/namespaces/default/replicasets", "/api/v1/namespaces/default/pods"
	posted := rec.write("POST", deployments+"?fieldManager=x", trace.Cause{})
	sync := rec.event("kube-controller-manager", "Deployment", "web", posted, "k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).syncDeployment")
	made := rec.write("POST", replicaSets, sync)
	wanted := rec.event("kube-controller-manager", "ReplicaSet", "web-1", made, "k8s.io/kubernetes/pkg/controller/replicaset.(*ReplicaSetController).manageReplicas",
		"apitrace.replicas.wanted", "2", "apitrace.replicas.found", "0", trace.AttrCauses, sync.Call)
	pod := rec.write("POST", pods, wanted)
	rec.event("kube-controller-manager", "Pod", "web-1-a", pod, "k8s.io/kubernetes/pkg/controller/replicaset.(*ReplicaSetController).manageReplicas",
		"apitrace.replicas.wanted", "2", "apitrace.replicas.found", "2") // nothing to decide
	fits := rec.event("kube-scheduler", "Pod", "web-1-a", pod, "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).schedulePod",
		"apitrace.scheduler.evaluated", "1", "apitrace.scheduler.feasible", "1", "apitrace.scheduler.host", "n1")
	bound := rec.write("POST", pods+"/web-1-a/binding", fits, "apitrace.node.name", "n1")
	status := rec.event("hollow-kubelet", "Pod", "web-1-a", bound, "k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).startContainer",
		"apitrace.container", "nginx", "apitrace.object.name", "web-1-a")
	rec.write("PATCH", pods+"/web-1-a/status", status)
	rec.add("PUT", deployments+"/web/status", 409, sync, rec.call("kube-apiserver", "serve", nil, trace.AttrError, "the object has been modified"))
	rec.write("POST", "/api/v1/namespaces/default/events", sync)
	rec.add("GET", pods+"/web-1-a", 200, sync, rec.call("kube-apiserver", "serve", nil))
	rec.Requests[1].Pending = []trace.Pending{{Process: "kube-controller-manager", Queue: "deployment", Item: "default/web", By: sync.Call, Due: rec.Requests[0].Start.Add(10 * time.Minute)}}
	return &rec.Recording
}

// FollowedRefusals returns a recording of what goes wrong after a Deployment was scaled: a quota
// refuses its second pod, and no node can run the first. Then this pod is deleted, and the
// namespace.
func FollowedRefusals() *trace.Recording {
	var rec causedRecording
	const scheduler, replicaSets, pods = "kube-scheduler", "/apis/apps/v1/namespaces/default/replicasets", "/api/v1/namespaces/default/pods"
	const queue = "k8s.io/kubernetes/pkg/scheduler/backend/queue."
	scaled := rec.write("PATCH", "/apis/apps/v1/namespaces/default/deployments/web/scale", trace.Cause{})
	sync := rec.event("kube-controller-manager", "Deployment", "web", scaled, "k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).scaleReplicaSet",
		"apitrace.replicas.wanted", "2")
	written := rec.write("PUT", replicaSets+"/web-1", sync)
	batches := rec.event("kube-controller-manager", "ReplicaSet", "web-1", written, "k8s.io/kubernetes/pkg/controller/replicaset.slowStartBatch",
		"apitrace.count", "2", "apitrace.count.done", "1")
	pod := rec.write("POST", pods, batches)
	rec.add("POST", pods, 403, batches, rec.call("kube-apiserver", "serve", nil, trace.AttrError, "exceeded quota"))
	rec.add("GET", pods+"/web-1-a", 403, batches, rec.call("kube-apiserver", "serve", nil, trace.AttrError, "not allowed"))

	taken := rec.call(scheduler, "k8s.io/client-go/tools/cache.handleAnyWatch", nil, trace.AttrObjectType, "*v1.Pod", trace.AttrObjectName, "web-1-a", trace.AttrEtcdRevision, "7", trace.AttrWatchEvent, "ADDED")
	fits := rec.call(scheduler, "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).schedulePod", &taken, "apitrace.scheduler.host", "")
	fits.Error = "0/1 nodes are available"
	filter := rec.call(scheduler, "k8s.io/kubernetes/pkg/scheduler/framework/runtime.(*frameworkImpl).runFilterPlugin", &fits,
		"apitrace.scheduler.plugin", "NodeAffinity", "apitrace.scheduler.verdict", "UnschedulableAndUnresolvable", "apitrace.scheduler.reason", "no match")
	room := rec.call(scheduler, "k8s.io/kubernetes/pkg/scheduler/framework/runtime.(*frameworkImpl).runPostFilterPlugin", &taken,
		"apitrace.scheduler.plugin", "DefaultPreemption", "apitrace.scheduler.verdict", "Unschedulable", "apitrace.scheduler.reason", "not helpful")
	failed := rec.call(scheduler, "k8s.io/kubernetes/pkg/scheduler.(*Scheduler).handleSchedulingFailure", &taken)
	again := rec.call(scheduler, queue+"(*PriorityQueue).AddUnschedulablePodIfNotPresent", &failed)
	aside := rec.call(scheduler, queue+"(*unschedulableEntities).addOrUpdate", &again)
	update := rec.call(scheduler, "k8s.io/kubernetes/pkg/scheduler.updatePod", &failed,
		"apitrace.condition.type", "PodScheduled", "apitrace.condition.status", "False", "apitrace.condition.reason", "Unschedulable")
	condition := rec.add(trace.MethodEvent, scheduler+" ADDED Pod web-1-a", 0, pod, taken, fits, filter, room, failed, again, aside, update)
	status := rec.write("PATCH", pods+"/web-1-a/status", condition)
	rec.event(scheduler, "Pod", "web-1-a", status, queue+"(*unschedulableEntities).addOrUpdate") // only of the newest pod

	deleted := rec.write("DELETE", pods+"/web-1-a", trace.Cause{})
	rec.changed("MODIFIED", "hollow-kubelet", "Pod", "web-1-a", deleted, "k8s.io/kubernetes/pkg/kubelet.(*Kubelet).HandlePodUpdates")
	collected := rec.changed("DELETED", "kube-controller-manager", "Pod", "web-1-a", rec.write("DELETE", pods+"/web-1-a", trace.Cause{}),
		"k8s.io/kubernetes/pkg/controller/garbagecollector.(*GarbageCollector).attemptToDeleteItem")
	rec.write("DELETE", replicaSets+"/web-1", collected)
	emptied := rec.write("PUT", "/api/v1/namespaces/default/finalize", trace.Cause{})
	rec.changed("DELETED", "kube-controller-manager", "Namespace", "default", emptied, "k8s.io/kubernetes/pkg/controller/namespace.(*NamespaceController).syncNamespaceFromKey")
	return &rec.Recording
}

// FollowedTimers returns a recording of a controller that deletes pods of a namespace when
// timers of its queue fire. The key of pod b was given twice at once. The key of pod c was given
// again 5 ms before it was taken. The second cause of pod d is not in the recording.
func FollowedTimers() *trace.Recording {
	var rec causedRecording
	const namespace, pods = "/api/v1/namespaces/shop", "/api/v1/namespaces/shop/pods/"
	marked := rec.write("DELETE", namespace, trace.Cause{})
	a := rec.timer("a", marked, time.Millisecond, 5*time.Second)
	rec.write("DELETE", pods+"a", a.taken)
	b := rec.timer("b", marked, time.Millisecond, 5*time.Second, a.given)
	rec.write("DELETE", pods+"b", b.taken)
	late := rec.timer("late", marked, 5*time.Second, 5*time.Second+time.Millisecond)
	c := rec.timer("c", marked, time.Millisecond, 5*time.Second-5*time.Millisecond, late.given)
	rec.write("DELETE", pods+"c", c.taken)
	d := rec.timer("d", marked, time.Millisecond, 5*time.Second, "unknown")
	rec.write("DELETE", pods+"d", d.taken)
	return &rec.Recording
}

// A timed is work that waited for a timer.
type timed struct {
	// given is the ID of the call that gave the work to the timer. taken is the call that
	// took it.
	given string
	taken trace.Cause
}

// timer adds an event with work that waits for a timer. given and taken are times since the start
// of the event. causes are the IDs of further calls that gave the work.
func (t *causedRecording) timer(name string, cause trace.Cause, given, taken time.Duration, causes ...string) timed {
	const process, queue = "kube-controller-manager", "k8s.io/client-go/util/workqueue."
	first := t.call(process, "k8s.io/client-go/tools/cache.handleAnyWatch", nil,
		trace.AttrObjectType, "*v1.Namespace", trace.AttrObjectName, name, trace.AttrEtcdRevision, "7", trace.AttrWatchEvent, "MODIFIED")
	give := t.call(process, queue+"(*delayingType[...]).AddAfter", &first)
	take := t.call(process, queue+"(*Typed[...]).Add", &give, trace.AttrHandoff, trace.HandoffTimer)
	give.StartNs, take.StartNs = given.Nanoseconds(), taken.Nanoseconds()
	if len(causes) > 0 {
		take.Attributes[trace.AttrCauses] = strings.Join(causes, " ")
	}
	return timed{give.ID, t.add(trace.MethodEvent, process+" MODIFIED Namespace "+name, 0, cause, first, give, take)}
}

// A causedRecording builds a recording of what a request caused.
type causedRecording struct {
	trace.Recording
	ids int
}

func (t *causedRecording) call(process, function string, parent *trace.Call, attributes ...string) trace.Call {
	t.ids++
	c := trace.Call{ID: fmt.Sprintf("%016x", t.ids), Process: process, Function: function, StartNs: int64(t.ids) * 1e6, Attributes: map[string]string{}}
	if parent != nil {
		c.Parent = parent.ID
	} else {
		c.StartNs = 0
	}
	for i := 0; i < len(attributes); i += 2 {
		c.Attributes[attributes[i]] = attributes[i+1]
	}
	return c
}

// add adds a request or an event, and returns the cause that its last call is.
func (t *causedRecording) add(method, path string, status int, cause trace.Cause, calls ...trace.Call) trace.Cause {
	r := trace.Request{
		TraceID: strings.Repeat("f", 32), Method: method, Path: path, Status: status, Cause: cause, Calls: calls,
		Start: time.Unix(100, int64(len(t.Requests))*1e7),
	}
	if cause == (trace.Cause{}) {
		r.TraceID = strings.Repeat("e", 32)
	}
	t.Requests = append(t.Requests, r)
	return trace.Cause{TraceID: r.TraceID, Call: calls[len(calls)-1].ID}
}

// write adds a request that writes an object. attributes are those of its first call.
func (t *causedRecording) write(method, path string, cause trace.Cause, attributes ...string) trace.Cause {
	first := t.call("kube-apiserver", "serve", nil, attributes...)
	return t.add(method, path, 201, cause, first, t.call("etcd", "put", &first, trace.AttrEtcdTxnSucceeded, "true", trace.AttrEtcdRevision, "7"))
}

// event adds an event with a call below its first one.
func (t *causedRecording) event(process, kind, name string, cause trace.Cause, function string, attributes ...string) trace.Cause {
	return t.changed("ADDED", process, kind, name, cause, function, attributes...)
}

// changed adds an event of a type, as event does.
func (t *causedRecording) changed(change, process, kind, name string, cause trace.Cause, function string, attributes ...string) trace.Cause {
	first := t.call(process, "k8s.io/client-go/tools/cache.handleAnyWatch", nil,
		trace.AttrObjectType, "*v1."+kind, trace.AttrObjectName, name, trace.AttrEtcdRevision, "7", trace.AttrWatchEvent, change)
	return t.add(trace.MethodEvent, process+" "+change+" "+kind+" "+name, 0, cause, first, t.call(process, function, &first, attributes...))
}
