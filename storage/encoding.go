package storage

import (
	"bytes"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Stored values in protobuf and encrypted values begin with these prefixes.
var (
	protobufPrefix  = []byte("k8s\x00")
	encryptedPrefix = []byte("k8s:enc:")
)

// describeValue returns a stored value's encoding, and its object's apiVersion and kind.
// encoding is "protobuf", "json", "encrypted" or "unknown".
// For the last two, apiVersion and kind are empty.
func describeValue(value []byte) (encoding, apiVersion, kind string) {
	switch {
	case bytes.HasPrefix(value, protobufPrefix):
		var object runtime.Unknown
		if object.Unmarshal(value[len(protobufPrefix):]) != nil {
			return "unknown", "", ""
		}
		return "protobuf", object.APIVersion, object.Kind
	case bytes.HasPrefix(value, encryptedPrefix):
		return "encrypted", "", ""
	case bytes.HasPrefix(bytes.TrimSpace(value), []byte("{")):
		var object metav1.TypeMeta
		if json.Unmarshal(value, &object) != nil {
			return "unknown", "", ""
		}
		return "json", object.APIVersion, object.Kind
	}
	return "unknown", "", ""
}
