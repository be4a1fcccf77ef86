package storage

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestDescribe(t *testing.T) {
	object := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, Raw: []byte("raw")}
	protobuf, err := object.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ value, encoding, apiVersion, kind string }{
		{"k8s\x00" + string(protobuf), "protobuf", "apps/v1", "Deployment"},
		{`{"kind": "Node", "apiVersion": "v1"}` + "\n", "json", "v1", "Node"},
		{`{"value": 1}`, "json", "", ""},
		{"k8s:enc:aescbc:v1:key1:\x01\x02", "encrypted", "", ""},
		{"k8s\x00\xff\xff", "unknown", "", ""},
		{"{not json", "unknown", "", ""},
		{"42", "unknown", "", ""},
	} {
		encoding, apiVersion, kind := describeValue([]byte(test.value))
		if encoding != test.encoding || apiVersion != test.apiVersion || kind != test.kind {
			t.Errorf("describeValue(%q) = %q, %q, %q, want %q, %q, %q", test.value, encoding, apiVersion, kind, test.encoding, test.apiVersion, test.kind)
		}
	}
}
