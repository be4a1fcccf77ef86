package story

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
)

// facts are upstream's own data about one request. The rules compare sentences with them.
type facts struct {
	world *world
	typed *scenarios.TypedRequest
	sent  *scenarios.Sent
	event *event
	// beside are the events of other requests during this one.
	beside []event
	// before and after are etcd's revisions. changes are the changes between them, by any
	// writer.
	before, after int64
	changes       []change
	// metricsBefore and metrics are the counters before and after the request. reviews
	// are the calls of webhooks during the request.
	metricsBefore, metrics samples
	reviews                []review
	// last is the text of the last step of the error path before the Status, or "".
	last string
}

// A meta is the part of an object that the rules read.
type meta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name            string `json:"name"`
		Namespace       string `json:"namespace"`
		ResourceVersion string `json:"resourceVersion"`
		ManagedFields   []struct {
			Manager string `json:"manager"`
		} `json:"managedFields"`
	} `json:"metadata"`
	Status json.RawMessage `json:"status"`
	Reason string          `json:"reason"`
}

func metaOf(object []byte) meta {
	var m meta
	_ = yaml.Unmarshal(object, &m) // a text that is not an object has an empty meta
	return m
}

// answer returns the object of the answer. It takes the object from the audit log,
// because the answer itself may be protobuf or a table. The audit log has no object for
// the answers of an aggregated server. For these, it takes the answer itself.
func (f *facts) answer() meta {
	if len(f.event.ResponseObject) == 0 {
		return metaOf(f.sent.Body)
	}
	return metaOf(f.event.ResponseObject)
}

// resource returns the resource of the request as "deployments.apps".
func (f *facts) resource() string {
	ref := f.event.ObjectRef
	if ref == nil {
		return ""
	}
	if ref.APIGroup == "" {
		return ref.Resource
	}
	return ref.Resource + "." + ref.APIGroup
}

// kind returns the generator's kind of the request's resource, or nil.
func (f *facts) kind() *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool {
		return k.plural == f.event.ObjectRef.Resource && k.group == f.event.ObjectRef.APIGroup
	})
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// prefixes has, by resource, the part of the keys that stands for the resource. It has only
// resources with another name in their keys (SpecialDefaultResourcePrefixes in
// kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go).
var prefixes = map[string]string{"nodes": "minions", "services": "services/specs"}

// withGroup are the groups that are a part of the keys of their objects: the groups of
// custom resources.
var withGroup = []string{"story.example.com"}

// root returns the prefix of the keys of all objects of the request's resource. It is ""
// if the request names no resource, or a resource of an aggregated server.
func (f *facts) root() string {
	ref := f.event.ObjectRef
	if ref == nil || ref.APIGroup == "wardle.example.com" || ref.APIGroup == "ghost.example.com" {
		return ""
	}
	prefix, ok := prefixes[ref.Resource]
	if !ok {
		prefix = ref.Resource
	}
	if slices.Contains(withGroup, ref.APIGroup) {
		prefix = ref.APIGroup + "/" + prefix
	}
	return "/registry/" + prefix
}

// key returns the key in etcd of the request's object, or the prefix of the keys of its
// objects. It is "" if root is "".
func (f *facts) key() string {
	ref := f.event.ObjectRef
	if f.root() == "" {
		return ""
	}
	parts := []string{f.root()}
	if ref.Namespace != "" && ref.Resource != "namespaces" {
		parts = append(parts, ref.Namespace)
	}
	name := ref.Name
	if name == "" && f.event.Verb == "create" && f.event.ResponseStatus.Code < http.StatusBadRequest {
		name = f.answer().Metadata.Name // the server generated the name
	}
	// A list of all namespaces with a selector for metadata.name has a name, but is not
	// for one key.
	if k := f.kind(); name != "" && (ref.Namespace != "" || k == nil || !k.namespaced) {
		parts = append(parts, name)
	}
	return strings.Join(parts, "/")
}

// within reports whether etcd had a revision between the begin and the end of the
// request.
func (f *facts) within(revision string) bool {
	n, err := strconv.ParseInt(revision, 10, 64)
	return err == nil && n >= f.before && n <= f.after
}

// change returns the change of a key at a revision, or nil. op and key may be "" for any.
func (f *facts) change(op, key, revision string) *change {
	for i := range f.changes {
		c := &f.changes[i]
		if (op == "" || c.Op == op) && (key == "" || c.Key == key) && strconv.FormatInt(c.Revision, 10) == revision {
			return c
		}
	}
	return nil
}

// changed describes the changes of a key during the request.
func (f *facts) changed(key string) (all []string) {
	for _, c := range f.changes {
		if c.Key == key {
			all = append(all, fmt.Sprintf("%s at revision %d", c.Op, c.Revision))
		}
	}
	return all
}

// existed reports whether a key existed before the request or at some time during it.
func (f *facts) existed(key string) bool {
	if _, ok := f.world.history.keys[key]; ok {
		return true
	}
	return slices.ContainsFunc(f.changes, func(c change) bool { return c.Key == key })
}

// counted returns the total growth of one resource's counters with this name. It adds only
// counters with labels for which selects returns true.
func (f *facts) counted(name, resource string, selects func(labels map[string]string) bool) (sum float64) {
	for _, c := range f.metrics.grown(f.metricsBefore, name) {
		if ofResource(c.labels, resource) && selects(c.labels) {
			sum += c.by
		}
	}
	return sum
}

// ofResource reports whether a counter's labels name a resource. In v1.30, one label has
// both the resource and its group, or the prefix of the resource's keys.
func ofResource(labels map[string]string, resource string) bool {
	name, group, _ := strings.Cut(resource, ".")
	if prefix, ok := labels["resource_prefix"]; ok {
		want := name
		if special, ok := prefixes[name]; ok {
			want = special
		}
		if slices.Contains(withGroup, group) {
			want = group + "/" + want
		}
		return strings.Trim(prefix, "/") == want
	}
	if whole, ok := labels["type"]; ok {
		return whole == resource
	}
	if g, ok := labels["group"]; ok {
		return labels["resource"] == name && g == group
	}
	return labels["resource"] == resource
}

// readsOf counts kube-apiserver's reads of a resource's objects from etcd.
func (f *facts) readsOf(resource string) float64 {
	return f.counted("etcd_requests_total", resource, func(l map[string]string) bool {
		return l["operation"] == "get" || l["operation"] == "list" || l["operation"] == "listStream"
	})
}

// plugins returns the admission plugins that ran in a phase ("admit", "validate") during
// the request, by the counters. If rejected is set, it returns only plugins that refused,
// otherwise only plugins that accepted.
func (f *facts) plugins(phase string, rejected bool) map[string]bool {
	names := map[string]bool{}
	for _, c := range f.metrics.grown(f.metricsBefore, "apiserver_admission_controller_admission_duration_seconds_count") {
		if c.labels["type"] == phase && c.labels["rejected"] == strconv.FormatBool(rejected) {
			names[c.labels["name"]] = true
		}
	}
	return names
}

// disturbed reports whether the server handled another request for objects during this
// one. Then the counters of admission and etcd also count the other request.
func (f *facts) disturbed() bool {
	return slices.ContainsFunc(f.beside, func(e event) bool {
		return e.ObjectRef != nil && e.Verb != "watch"
	})
}

// mediaType returns the media type of the answer without its parameters.
func (f *facts) mediaType() string {
	media, _, err := mime.ParseMediaType(f.sent.Header.Get("Content-Type"))
	if err != nil {
		return f.sent.Header.Get("Content-Type")
	}
	return media
}

// message returns the error message of the answer. For an answer in protobuf, this is the
// message of the audit event. The two may differ: if the client accepts no form of a
// Status, the event keeps the message of the authentication filter (authn_audit.go in
// apiserver/pkg/endpoints/filters).
func (f *facts) message() string {
	var status struct{ Kind, Message string }
	if yaml.Unmarshal(f.sent.Body, &status) == nil && status.Kind == "Status" && status.Message != "" {
		return status.Message
	}
	if f.event.ResponseStatus.Message != "" {
		return f.event.ResponseStatus.Message
	}
	return string(f.sent.Body)
}

// A watched is an event in the answer to a watch, such as "ADDED", with its object.
type watched struct{ kind, namespace, name, version string }

// watched returns the events in the answer to a watch in JSON.
func (f *facts) watched() (all []watched) {
	for in := json.NewDecoder(bytes.NewReader(f.sent.Body)); ; {
		var e struct {
			Type   string
			Object struct {
				meta
				Rows []struct{ Object meta } // of a table
			}
		}
		if in.Decode(&e) != nil {
			return all
		}
		objects := []meta{e.Object.meta}
		for _, row := range e.Object.Rows {
			objects = append(objects, row.Object)
		}
		for _, o := range objects {
			all = append(all, watched{e.Type, o.Metadata.Namespace, o.Metadata.Name, o.Metadata.ResourceVersion})
		}
	}
}

// credentials reports whether the request sent credentials.
func (f *facts) credentials() bool { return f.typed.As != scenarios.Anonymous }

// query returns the value of an option in the query of the path, or "".
func (f *facts) query(name string) string {
	_, query, _ := strings.Cut(f.typed.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	return values.Get(name)
}

// start returns the part of a key with which a further page of a list begins, from the
// token of the list (EncodeContinue in apiserver/pkg/storage/continue.go).
func (f *facts) start() string {
	token, err := base64.RawURLEncoding.DecodeString(f.query("continue"))
	if err != nil {
		return ""
	}
	var page struct{ Start string }
	_ = json.Unmarshal(token, &page) // an invalid token has no start
	return page.Start
}

// header returns the value of a header of the request, or "".
func (f *facts) header(name string) string {
	for _, line := range f.typed.Headers {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return value
		}
	}
	return ""
}

// stored returns the current values of the keys at and below a key, and their values
// before changes during the request.
func (f *facts) stored(key string) (all []trace.StoredKey) {
	for k, stored := range f.world.history.keys {
		if k == key || strings.HasPrefix(k, key+"/") {
			all = append(all, stored)
		}
	}
	for _, c := range f.changes {
		if c.before != nil && (c.Key == key || strings.HasPrefix(c.Key, key+"/")) {
			all = append(all, *c.before)
		}
	}
	return all
}
