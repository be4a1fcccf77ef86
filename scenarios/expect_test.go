package scenarios

import (
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/trace"
)

var seen = trace.Request{Calls: []trace.Call{
	{Function: "k8s.io/apiserver/pkg/endpoints/handlers.getResourceHandler.func1"},
	{Function: "k8s.io/apiserver/pkg/storage/etcd3.(*store).Get", Attributes: map[string]string{"apitrace.etcd.key": "/registry/minions/n1"}},
	{Function: "k8s.io/apiserver/pkg/storage/etcd3.(*defaultDecoder).Decode"},
}, Stored: []trace.StoredKey{{Op: "PUT", Key: "/registry/secrets/default/s", Encoding: "encrypted"}}}

func TestExpect(t *testing.T) {
	value := func(function, name, value string) Expect {
		return Expect{Values: []Value{{Function: Function{function}, Name: name, Value: value}}}
	}
	stored := func(op, key, encoding string) Expect { return Expect{Stored: []Stored{{op, key, encoding}}} }
	tests := []struct {
		name   string
		expect Expect
		want   string // a part of the error; "" for no error
	}{
		{"nothing", Expect{}, ""},
		{"in order", Expect{Calls: []Function{{"handlers.getResourceHandler.func1"}, {"etcd3.(*store).Get"}}}, ""},
		{"full name", Expect{Calls: []Function{{"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get"}}}, ""},
		{"not a whole part", Expect{Calls: []Function{{"tcd3.(*store).Get"}}}, `lacks the expected call "tcd3.(*store).Get"; the nearest call that it has: "etcd3.(*store).Get"`},
		{"wrong order", Expect{Calls: []Function{{"etcd3.(*store).Get"}, {"handlers.getResourceHandler.func1"}}}, `not where it was expected: after "etcd3.(*store).Get"`},
		{"twice", Expect{Calls: []Function{{"etcd3.(*store).Get"}, {"etcd3.(*store).Get"}}}, `not where it was expected`},
		{"one of two names", Expect{Calls: []Function{{"etcd3.read", "etcd3.(*store).Get"}}}, ""},
		{"none of two names", Expect{Calls: []Function{{"etcd3.(*store).Put", "etcd3.read"}}}, `lacks the expected call "etcd3.(*store).Put" or "etcd3.read"; the nearest call that it has: "etcd3.(*store).Get"`},
		{"absent", Expect{Absent: []Function{{"etcd3.(*store).Put"}}}, ""},
		{"not absent", Expect{Absent: []Function{{"etcd3.(*store).Put", "etcd3.(*store).Get"}}}, `has an unexpected call of "etcd3.(*store).Put" or "etcd3.(*store).Get"`},
		{"value", value("etcd3.(*store).Get", "apitrace.etcd.key", "/registry/minions/n1"), ""},
		{"value with any text", value("etcd3.(*store).Get", "apitrace.etcd.key", "/registry/.../n1"), ""},
		{"dot is a dot", value("etcd3.(*store).Get", "apitrace.etcd.key", "/registry.minions/n1"), `seen: "/registry/minions/n1"`},
		{"stored", stored("PUT", "/registry/.../s", "encrypted"), ""},
		{"stored somehow", stored("PUT", "/registry/secrets/default/s", ""), ""},
		{"stored otherwise", stored("PUT", "/registry/secrets/default/s", "json"),
			"did not make the change PUT /registry/secrets/default/s (json) in etcd; its changes: PUT /registry/secrets/default/s (encrypted)"},
		{"not deleted", stored("DELETE", "/registry/secrets/default/s", ""), "did not make the change DELETE /registry/secrets/default/s in etcd"},
		{"no such value", value("etcd3.(*store).Get", "apitrace.key", "v"), `has no value "apitrace.key": expected "v"; the nearest value that it has: "apitrace.etcd.key"`},
		{"no value at all", value("etcd3.(*defaultDecoder).Decode", "k", "v"), `the nearest value that it has: none`},
		{"other value", value("etcd3.(*store).Get", "apitrace.etcd.key", "x"), `seen: "/registry/minions/n1"`},
		{"like nothing", Expect{Calls: []Function{{"a.B"}}}, `lacks the expected call "a.B"; the nearest call that it has: "etcd3.(*store).Get", `},
		{"no such function", value("etcd3.(*store).Put", "k", "v"), `the nearest call that it has: "etcd3.(*store).Get"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.expect.Check(seen)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("unexpected error: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestExpectEmptyTrace(t *testing.T) {
	err := (&Expect{Calls: []Function{{"a.B"}}}).Check(trace.Request{})
	if err == nil || !strings.Contains(err.Error(), "none, the trace is empty") {
		t.Errorf("got %v, expected an error about an empty trace", err)
	}
}
