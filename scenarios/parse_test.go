package scenarios

import (
	"errors"
	"strings"
	"testing"
)

// good is a valid scenario. Each bad scenario differs from it in one line.
const good = `name: mine
title: {en: Mine}
topic: reads
setup:
  objects:
    - apiVersion: v1
      kind: Node
      metadata: {name: n1}
requests:
  - method: GET
    path: /api/v1/nodes/n1
    status: 200
    traced: true
    warmup:
      - method: GET
        path: /healthz
        status: 200
    expect:
      calls: [a.B]
      values:
        - {function: a.B, name: x, value: y}
`

func noFiles(string) ([]byte, error) { return nil, errors.New("no such file") }

func mustParse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := parse("mine.yaml", []byte(text), noFiles)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseGood(t *testing.T) {
	s := mustParse(t, good)
	if s.Requests[0].Warmup[0].Path != "/healthz" || s.Requests[0].Expect.Values[0].Value != "y" {
		t.Errorf("got %+v, expected all fields of the file", s)
	}
	if err := conforms(t, []byte(good)); err != nil {
		t.Error(err)
	}
}

// The folder of a server is relative to the folder of the scenario's file. A module with a
// version stays unchanged.
func TestParseAggregatedServer(t *testing.T) {
	for server, want := range map[string]string{
		"./mine": "./folder/mine", "../mine": "./mine", "../../mine": "../mine", "/mine": "/mine", "example.com/mine@v1.0.0": "example.com/mine@v1.0.0",
	} {
		text := strings.Replace(good, "setup:\n", "setup:\n  aggregatedServer: {server: "+server+", main: ./cmd/x, flags: [--v=2]}\n", 1)
		s, err := parse("folder/mine.yaml", []byte(text), noFiles)
		if err != nil {
			t.Fatal(err)
		}
		if own := s.Setup.AggregatedServer; own.Server != want || own.Main != "./cmd/x" || len(own.Flags) != 1 {
			t.Errorf("%s became %+v, expected %s", server, own, want)
		}
		if err := conforms(t, []byte(text)); err != nil {
			t.Error(err)
		}
	}
}

func TestParseBad(t *testing.T) {
	tests := []struct {
		old, new string
		want     string // a part of the error
		schema   bool   // the schema rejects it as well
	}{
		{"name: mine", "name: My Scenario", `mine.yaml:1: name is "My Scenario", expected lower-case words`, true},
		{"name: mine\n", "", `mine.yaml:1: name is ""`, true},
		{"title: {en: Mine}", "title: {zh: 我}", `mine.yaml:2: title has no English text`, true},
		{"title: {en: Mine}", "title: {en: LIST nodes, then pods}", `mine.yaml:2: unknown field "then pods", because a comma ends a text without quotes: did you mean {en: "LIST nodes, then pods"}?`, true},
		{"title: {en: Mine}", "titel: {en: Mine}", `mine.yaml:2: unknown field "titel": did you mean "title"?`, true},
		{"topic: reads", "varies: {callers: [a.B]}", `mine.yaml:3: varies has no English text`, true},
		{"topic: reads", "varies: {en: Much, callers: ['']}", `mine.yaml:3: a caller has no name`, true},
		{"topic: reads", "topic: poems", `mine.yaml:3: topic is "poems", expected one of boot, reads,`, true},
		{"kind: Node", "kind:", `mine.yaml:6: an object needs apiVersion, kind and metadata.name`, true},
		{"  - method: GET\n    path", "  - method: FETCH\n    path", `mine.yaml:10: method is "FETCH", expected one of GET,`, true},
		{"path: /api/v1/nodes/n1", "path: api/v1/nodes/n1", `mine.yaml:11: path is "api/v1/nodes/n1"`, true},
		{"    status: 200\n    traced", "    status: ok\n    traced", `mine.yaml:12: found "ok", expected a whole number`, true},
		{"    status: 200\n    traced", "    traced", `mine.yaml:10: there is no status, expected the HTTP status code`, true},
		{"    status: 200\n    traced", "    status: [200, 999]\n    traced", `mine.yaml:12: status is 200 or 999, expected the HTTP status code`, true},
		{"    status: 200\n    traced", "    status: []\n    traced", `mine.yaml:12: there is no status, expected the HTTP status code`, true},
		{"    status: 200\n    traced", "    status: 200\n    timeout: soon\n    traced", `mine.yaml:13: found "soon", expected a time such as "500ms"`, true},
		{"    status: 200\n    traced", "    status: 200\n    await: soon\n    traced", `mine.yaml:13: found "soon", expected a time such as "500ms"`, true},
		{"    status: 200\n    traced", "    status: 200\n    hangUp: -3s\n    traced", `mine.yaml:10: timeout, hangUp and await cannot be negative`, true},
		{"    traced: true\n    warmup:\n      - method: GET\n        path: /healthz\n        status: 200\n", "    traced: true\n    hangUp: 3s\n", `mine.yaml:10: a watch cannot be its own warm-up`, false},
		{"    status: 200\n    traced", "    status: 200\n    as: root\n    traced", `mine.yaml:13: as is "root", expected "learner", "admin", "anonymous" or "stranger"`, true},
		{"    traced: true\n", "", `mine.yaml:10: no request is traced`, true},
		{"    traced: true\n", "    traced: true\n    await: true\n", `mine.yaml:14: a traced request is sent once`, true},
		{"        status: 200\n", "        status: 200\n        has: {status.phase: Running}\n", `mine.yaml:18: has says which answer to wait for: give the request "await: true"`, true},
		{"        status: 200\n", "        status: 200\n        await: true\n        has: {status.phase: [Running]}\n", `mine.yaml:19: `, true},
		{"    traced: true\n", "    traced: true\n    stays: true\n", `mine.yaml:14: stays is for a deletion, but method is "GET"`, true},
		{"    traced: true\n    warmup:\n      - method: GET\n        path: /healthz\n        status: 200\n", "    traced: true\n    during: [{method: GET, path: /p, status: 200}]\n", `mine.yaml:10: a watch cannot be its own warm-up`, false},
		{"    traced: true\n", "    traced: true\n    during: [{method: GET, path: p, status: 200}]\n", `mine.yaml:14: path is "p"`, true},
		{"    traced: true\n", "    traced: true\n    during: [{method: GET, path: /p, status: 200, warmup: []}]\n", `mine.yaml:14: a request during a watch has no warm-up of its own`, true},
		{"    traced: true\n", "    traced: true\n    during: [{method: GET, path: /p, status: 200, expect: {calls: [a.B]}}]\n", `mine.yaml:14: only a request with "traced: true" can have expect`, false},
		{"    traced: true\n", "    traced: true\n    during: [{method: GET, path: /p, status: 200, traced: true, await: true}]\n", `mine.yaml:14: a traced request is sent once`, false},
		{"        path: /healthz\n", "        path: /healthz\n        during: [{method: GET, path: /p, status: 200, traced: true}]\n", `mine.yaml:17: a request of a warm-up cannot be traced`, false},
		{"    traced: true\n", "    traced: true\n    events: [CREATED]\n", `mine.yaml:14: event is "CREATED", expected "ADDED", "MODIFIED", "DELETED" or "BOOKMARK"`, true},
		{"path: /api/v1/nodes/n1", "path: /api/v1/nodes/${name}", `mine.yaml:10: no request before this one keeps a value as "name"`, false},
		{"    traced: true\n", "    traced: true\n    body: {a: \"${b}\"}\n", `no request before this one keeps a value as "b"`, false},
		{"topic: reads", "boot: {program: etcd}", `mine.yaml:3: program is "etcd", expected "kube-apiserver" or "sample-apiserver"`, true},
		{"topic: reads", "boot: {program: sample-apiserver}", `mine.yaml:3: the sample server starts only where the setup asks for it`, false},
		{"setup:\n", "setup:\n  server: {flags: [-v]}\n", `mine.yaml:5: "-v" is not a flag of kube-apiserver: expected --name=value`, true},
		{"setup:\n", "setup:\n  server:\n    files:\n      a/b: x\n", `mine.yaml:7: file name "a/b": expected a plain name`, true},
		{"setup:\n", "setup:\n  aggregatedServer: {server: ./mine, flags: [-v]}\n", `mine.yaml:5: "-v" is not a flag of the server`, true},
		{"setup:\n", "setup:\n  aggregatedServer: {main: ./cmd/x}\n", `mine.yaml:5: --main names the package of an API server`, true},
		{"setup:\n", "setup:\n  aggregatedServer: {flags: [--v=2]}\n", `mine.yaml:5: aggregatedServer has flags and no server`, true},
		{"setup:\n", "setup:\n  aggregated: true\n  aggregatedServer: {server: ./mine}\n", `mine.yaml:6: the server behind the aggregator is either`, false},
		{"topic: reads\nsetup:\n", "boot: {program: kube-apiserver}\nsetup:\n  aggregatedServer: {server: ./mine}\n", `"apitrace run boot --server ./mine"`, false},
		{"    expect:\n", "    expect:\n      stored: [{op: GET, key: /a}]\n", `mine.yaml:19: op is "GET", expected "PUT" or "DELETE"`, true},
		{"    expect:\n", "    expect:\n      stored: [{op: PUT, key: a}]\n", `mine.yaml:19: key is "a"`, true},
		{"    expect:\n", "    expect:\n      stored: [{op: PUT, key: /a, encoding: xml}]\n", `mine.yaml:19: encoding is "xml"`, true},
		{"topic: reads", "since: 1.30", `mine.yaml:3: since is "1.30": expected a release such as "v1.30"`, true},
		{"topic: reads", "since: v1.30\nuntil: v1.29", `mine.yaml:4: until is "v1.29", which is before since, "v1.30": no release is left`, false},
		{"title: {en: Mine}", "title: Mine", `mine.yaml:2: found "Mine", expected one or more of the fields en, zh`, true},
		{"    traced: true\n", "    traced: maybe\n", `mine.yaml:13: found "maybe", expected true or false`, true},
		{"requests:\n", "request:\n", `mine.yaml:9: unknown field "request": did you mean "requests"?`, true},
		{"calls: [a.B]", "call: [a.B]", `mine.yaml:19: unknown field "call": did you mean "calls"?`, true},
		{"setup:\n", "setup:\n  server: {flags: [--secure-port=6443]}\n", `mine.yaml:5: apitrace sets the flag "--secure-port=6443" itself`, false},
		{"topic: reads", "pairs: [{with: get-nod, teaches: {en: x}}]", `mine.yaml:3: the library has no scenario "get-nod": did you mean "get-node"?`, false},
		{", value: y", "", `mine.yaml:21: an expected value needs a function, the name of an attribute, and its value`, true},
		{good, "- a\n", `mine.yaml:1: found a list, expected one or more of the fields name, topic, `, true},
		{"topic: reads", "pairs: [{with: get-node}]", `mine.yaml:3: a pair needs the name of the other scenario (with) and what it teaches`, true},
		{"    traced: true\n", "    traced: true\n    body: {}\n    bodyFile: x\n", `mine.yaml:15: both body and bodyFile`, true},
		{"    traced: true\n", "    traced: true\n    body: {}\n    bodyText: x\n", `mine.yaml:15: both bodyText and another body are given`, true},
		{"    traced: true\n", "    traced: true\n    bodyText: \"${b}\"\n", `no request before this one keeps a value as "b"`, false},
		{"        path: /healthz\n", "        path: /healthz\n        traced: true\n", `mine.yaml:17: unknown field "traced", expected one of method, path, status, `, true},
		{"calls: [a.B]", "absent: ['']", `mine.yaml:19: a function under absent has no name`, true},
		{"calls: [a.B]", "calls: ['']", `mine.yaml:19: an expected call has no name`, true},
		{"function: a.B, ", "", `mine.yaml:21: an expected value needs a function`, true},
		{"title: {en: Mine}", "title: {en: Mine", `did not find expected ',' or '}'`, false},
		{good, "", `mine.yaml:1: the file is empty`, false},
		{"name: mine", "name: mine\n---\nname: other", `more than one YAML document`, false},
		{"    traced: true\n", "    traced: true\n    bodyFile: x.yaml\n", `mine.yaml:10: reading bodyFile: no such file`, false},
		{"    status: 200\n    traced", "    status: 200\n    body: {1: 2}\n    traced", `mine.yaml:13: cannot be sent as JSON`, false},
	}
	for _, test := range tests {
		text := strings.Replace(good, test.old, test.new, 1)
		if text == good {
			t.Fatalf("%q is not in the good scenario", test.old)
		}
		_, err := parse("mine.yaml", []byte(text), noFiles)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q instead of %q:\ngot  %v\nwant %s", test.new, test.old, err, test.want)
		}
		if test.schema && conforms(t, []byte(text)) == nil {
			t.Errorf("%q instead of %q: schema.json accepts the file, expected that it rejects it", test.new, test.old)
		}
	}
}

// A bodyFile with two YAML documents is rejected.
func TestBodyFileOfTwo(t *testing.T) {
	text := strings.Replace(good, "    traced: true\n", "    traced: true\n    bodyFile: two.yaml\n", 1)
	_, err := parse("mine.yaml", []byte(text), func(string) ([]byte, error) { return []byte("a: 1\n---\na: 2\n"), nil })
	if want := `mine.yaml:10: bodyFile "two.yaml" has 2 YAML documents, and a request sends one`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, expected %s", err, want)
	}
}

func TestWriteNeedsWarmup(t *testing.T) {
	const text = `name: mine
title: {en: Mine}
requests:
  - {method: DELETE, path: /api/v1/nodes/n1, status: 200, traced: true}
`
	_, err := parse("mine.yaml", []byte(text), noFiles)
	if err == nil || !strings.Contains(err.Error(), "mine.yaml:4: a traced DELETE that succeeds cannot be its own warm-up") {
		t.Errorf("got %v, expected that the DELETE cannot be its own warm-up", err)
	}
}
