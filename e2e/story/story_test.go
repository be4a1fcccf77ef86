package story

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/instrument/collect"
	"github.com/kubeapitrace/apitrace/internal/testenv"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/scenarios"
	"github.com/kubeapitrace/apitrace/trace"
	"github.com/kubeapitrace/apitrace/view"
)

var (
	seed   = flag.Uint64("story.seed", 1, "the seed of the generated requests, such as 7")
	first  = flag.Int("story.first", 0, "the number of the first request, such as 342 to begin with a request that failed")
	number = flag.Int("story.requests", 0, "how many requests to send, such as 1000; 0 means as many as the test usually sends")
)

// TestSlowSentencesHold compares the sentences about a hundred requests with upstream's
// own data.
func TestSlowSentencesHold(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Slow(t)
	hold(t, "v1.37.1", 100)
}

// TestNightlySentencesHold checks more requests, on two releases. Every rule with a check
// must have proved a sentence of one of them, unless it is rare.
func TestNightlySentencesHold(t *testing.T) {
	testenv.NeedsServer(t)
	testenv.Nightly(t)
	seen := map[string]bool{}
	for _, version := range []string{"v1.37.1", "v1.30.4"} {
		t.Run(version, func(t *testing.T) {
			for text := range hold(t, version, 450).proved {
				seen[text] = true
			}
		})
	}
	for _, text := range slices.Sorted(maps.Keys(rules)) {
		if rule := rules[text]; rule.check != nil && !rule.rare && !seen[text] {
			t.Errorf("the rule for %q has proved nothing: no request led to this sentence", text)
		}
	}
}

// A tally counts sentences, by their text without operands.
type tally struct {
	requests                        int
	answers                         map[int]int // by status
	proved, unchecked, contradicted map[string]int
	// reasons counts the reasons why sentences were not checked, by the text of the
	// sentences.
	reasons map[string]map[string]int
}

// hold sends n requests to a server of a release, and checks every sentence.
func hold(t *testing.T, version string, n int) *tally {
	t.Helper()
	if *number > 0 {
		n = *number
	}
	loaded, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, version)
	book := loaded.ForReader("en", &trace.Recording{K8sVersion: w.server.K8sVersion, EtcdVersion: w.server.EtcdVersion})
	total := &tally{answers: map[int]int{}, proved: map[string]int{}, unchecked: map[string]int{}, contradicted: map[string]int{}, reasons: map[string]map[string]int{}}
	g := &generator{}
	const restocked = 10 // requests between two calls of restock
	for i := range n {
		if i%restocked == 0 {
			w.restock()
		}
		total.requests++
		w.check(g, *first+i, book, total)
	}
	total.log(t)
	return total
}

// check sends one request and checks its sentences.
func (w *world) check(g *generator, i int, guide view.Classifier, total *tally) {
	w.t.Helper()
	w.history.advance()
	w.audit.advance(w.t)
	g.revision = w.history.revision
	typed := g.request(*seed, uint64(i))
	complain := func(format string, args ...any) {
		w.t.Helper()
		w.t.Errorf("seed %d, request %d of %s:\n%s\n%s", *seed, i, w.server.K8sVersion, command(typed), fmt.Sprintf(format, args...))
	}
	f, request, err := w.ask(typed)
	if err != nil {
		complain("%v", err)
		return
	}
	total.answers[f.sent.Status]++
	g.remember(f)
	tree, err := trace.NewTree(request)
	if err != nil {
		complain("%v", err)
		return
	}
	path := view.ErrorPathOf(tree, guide)
	f.last = lastError(path)
	sentences := view.Sentences(tree, guide, path, "en", 0)
	for _, sentence := range sentences {
		c := newClaim(sentence, tree)
		id := sentence.Says.ID()
		rule, ok := rules[id]
		if !ok {
			complain("the sentence: %s\nthere is no rule for sentences of kind %s with the text %q", sentence.Text, sentence.Kind, id)
			continue
		}
		of, found := f.about(c), silent("%s", rule.fact)
		switch {
		case f.event == nil:
			found = silent("the server lost the audit event, because the patch is not JSON")
		case of == nil:
			found = silent("a request of the aggregated server: only its audit event is known")
		case rule.check != nil:
			found = rule.check(of, c)
		}
		switch found.outcome {
		case proved:
			total.proved[id]++
			for _, operand := range rule.proves {
				if other := c.other(operand); rule.check(of, other).outcome == proved {
					complain("the sentence: %s\nthe rule: %s\nalso proves it with %q in place of %q, so it does not prove operand %d", sentence.Text, rule.fact, other.operands[operand], c.operands[operand], operand)
				}
			}
		case unchecked:
			total.unchecked[id]++
			if total.reasons[id] == nil {
				total.reasons[id] = map[string]int{}
			}
			total.reasons[id][found.fact]++
		case contradicted:
			total.contradicted[id]++
			complain("the sentence: %s\nthe call:     %s\nthe rule:     %s\nthe fact:     %s", sentence.Text, tree.Call(sentence.Call).Function, rule.fact, found.fact)
		}
	}
	if f.event == nil {
		return
	}
	for _, unsaid := range f.unsaid(sentences, request) {
		complain("%s", unsaid)
	}
}

// ask sends a request and collects its trace and the facts about it.
func (w *world) ask(typed *scenarios.TypedRequest) (*facts, *trace.Request, error) {
	w.t.Helper()
	h, err := typed.HTTP()
	if err != nil {
		return nil, nil, err
	}
	f := &facts{world: w, typed: typed, before: w.history.revision, metricsBefore: w.metrics.read()}
	reviews, events := w.hooks.count(), w.audit.mark()
	quiet := func() {}
	if path, query, _ := strings.Cut(typed.Path, "?"); strings.Contains(query, "watch=") {
		quiet = w.stir(path + "/a")
	}
	f.sent, err = w.player.Send(w.t.Context(), h)
	quiet()
	if err != nil {
		return nil, nil, err
	}
	f.metrics = w.metrics.read()
	sent := trace.Sent{TraceID: f.sent.TraceID, Method: f.sent.Method, Path: f.sent.Path, Status: f.sent.Status}
	request, _, err := collect.RequestWith(w.t.Context(), w.sockets, sent, collect.Secrets{Show: true})
	if err != nil {
		return nil, nil, err
	}
	if len(request.Incomplete) > 0 {
		return nil, nil, fmt.Errorf("the trace is incomplete: %q", request.Incomplete)
	}
	if request.Stored, err = w.history.etcd.Stored(w.t.Context(), request); err != nil {
		return nil, nil, err
	}
	id := h.Headers["Audit-Id"]
	f.event = w.audit.of(w.t, id, typed.Path, lasting(typed.Path), func() bool {
		// The server puts the body of a patch into the event as it is. It cannot write
		// the event if the body is not JSON (LogRequestPatch in apiserver/pkg/audit).
		return typed.Method == http.MethodPatch && !json.Valid(typed.Body) && len(w.metrics.read().grown(f.metricsBefore, "apiserver_audit_error_total")) > 0
	})
	if f.sent.Err != nil && (f.event == nil || f.event.Stage != "Panic") {
		return nil, nil, fmt.Errorf("no complete answer: %w", f.sent.Err)
	}
	f.changes, f.after, f.reviews = w.history.advance(), w.history.revision, w.hooks.since(reviews)
	for _, e := range w.audit.events[events:] {
		if e.AuditID != id {
			f.beside = append(f.beside, e)
		}
	}
	return f, request, nil
}

// lasting reports whether the answer to a request may go on after its beginning, as for a
// watch.
func lasting(path string) bool {
	path, query, _ := strings.Cut(path, "?")
	return strings.Contains(query, "watch=") || strings.Contains(path, "/watch/") || strings.HasSuffix(path, "/log") || strings.HasSuffix(path, "/proxy")
}

// remember keeps the continue token of an answer that is a list.
func (g *generator) remember(f *facts) {
	var list struct {
		Metadata struct {
			Continue string `json:"continue"`
		} `json:"metadata"`
	}
	if json.Unmarshal(f.sent.Body, &list) == nil && list.Metadata.Continue != "" {
		g.next = list.Metadata.Continue
		g.nextPath, _, _ = strings.Cut(f.typed.Path, "?")
	}
}

// about returns the facts about the request of a claim. An aggregated server also sends
// requests to kube-apiserver. For such a request, only the audit event is known. It is
// enough for claims about the request, the caller and permissions; for other claims,
// about returns nil.
func (f *facts) about(c *claim) *facts {
	by := c.sentBy()
	if by == "" {
		return f
	}
	i := slices.IndexFunc(f.beside, func(e event) bool { return e.User.Username == by && e.Verb == "create" })
	if i < 0 || !slices.Contains([]string{"request", "caller", "permission"}, c.Kind) {
		return nil
	}
	sub := *f
	sub.event = &f.beside[i]
	return &sub
}

func newClaim(s view.Sentence, tree *trace.Tree) *claim {
	c := &claim{Sentence: s, tree: tree}
	for _, operand := range s.Says.Operands() {
		c.operands = append(c.operands, fmt.Sprint(operand))
	}
	return c
}

// other returns the claim with another value of an operand.
func (c *claim) other(operand int) *claim {
	changed := *c
	changed.operands = slices.Clone(c.operands)
	changed.operands[operand] += "0"
	return &changed
}

// lastError returns the text of the last step of an error path that makes, wraps or
// replaces the error, or "".
func lastError(path *view.ErrorPath) (last string) {
	if path == nil {
		return ""
	}
	for _, step := range path.Steps {
		switch step.Kind {
		case view.ErrorBorn, view.ErrorWrapped, view.ErrorTurned:
			last = step.Text.String()
		}
	}
	return last
}

// unsaid describes the changes of the request's object in etcd that no sentence mentions,
// or that the trace does not list.
func (f *facts) unsaid(sentences []view.Sentence, request *trace.Request) (all []string) {
	key := f.key()
	if key == "" || slices.ContainsFunc(f.beside, func(e event) bool {
		return e.ObjectRef != nil && f.event.ObjectRef.Resource == e.ObjectRef.Resource && f.event.ObjectRef.Name == e.ObjectRef.Name
	}) {
		return nil // another request may have made the change
	}
	for _, c := range f.changes {
		if c.Key != key {
			continue
		}
		said := slices.ContainsFunc(sentences, func(s view.Sentence) bool {
			return strings.HasSuffix(s.Text, fmt.Sprintf("key %s, at revision %d", c.Key, c.Revision))
		})
		if !said {
			all = append(all, fmt.Sprintf("no sentence mentions the change %s %s at revision %d", c.Op, c.Key, c.Revision))
		}
		if !slices.Contains(request.Stored, c.StoredKey) {
			all = append(all, fmt.Sprintf("the trace does not list the change %+v, but %+v", c.StoredKey, request.Stored))
		}
	}
	return all
}

// command returns a request as a command line of apitrace.
func command(r *scenarios.TypedRequest) string {
	words := []string{"apitrace", "request", r.Method, r.Path, "--as", r.As}
	for _, header := range r.Headers {
		words = append(words, "-H", header)
	}
	if r.Body == nil {
		return quoted(words)
	}
	line := quoted(append(words, "-f", "-"))
	if strings.ContainsFunc(string(r.Body), func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "echo " + base64.StdEncoding.EncodeToString(r.Body) + " | base64 -d | " + line
	}
	return "printf %s " + text.ShellWord(string(r.Body)) + " | " + line
}

func quoted(words []string) string {
	line := make([]string, len(words))
	for i, word := range words {
		line[i] = text.ShellWord(word)
	}
	return strings.Join(line, " ")
}

// log prints the counts of each kind of sentence.
func (t *tally) log(tb testing.TB) {
	tb.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "%d requests, answers %v\nproved  not checked  contradicted\n", t.requests, t.answers)
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		fmt.Fprintf(&out, "%6d  %11d  %12d  %s\n", t.proved[id], t.unchecked[id], t.contradicted[id], id)
		for _, why := range slices.Sorted(maps.Keys(t.reasons[id])) {
			fmt.Fprintf(&out, "%33d not checked: %s\n", t.reasons[id][why], why)
		}
	}
	tb.Log(out.String())
}
