package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// ids numbers the uids and resource versions of a server in the order of their first
// occurrence. If two answers have the same uid on one server, they must have the same uid
// on the other.
type ids struct {
	uids, versions map[string]int
}

func newIDs() *ids { return &ids{uids: map[string]int{}, versions: map[string]int{}} }

func number(seen map[string]int, id string) int {
	if seen[id] == 0 {
		seen[id] = len(seen) + 1
	}
	return seen[id]
}

var (
	uid             = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	listVersion     = regexp.MustCompile(`"metadata":\{"resourceVersion":"\d+"`)
	resourceVersion = regexp.MustCompile(`"resourceVersion":"(\d+)"`)
	continueToken   = regexp.MustCompile(`"continue":"([^"]+)"`)
	tokenVersion    = regexp.MustCompile(`"rv":\d+`)
	timestamp       = regexp.MustCompile(`"(creationTimestamp|deletionTimestamp|time)":"[^"]+"`)
	tableAge        = regexp.MustCompile(`("cells":\[[^\]]*)"\d+s"\]`)
)

// normalise writes an answer as text, without the parts that differ between any two
// servers. All other bytes stay as they were sent.
func normalise(a answer, ids *ids) string {
	length := fmt.Sprint(len(a.body))
	body := asJSON(a.body)
	// The revision of the whole store differs because the servers also write on their
	// own.
	body = listVersion.ReplaceAllString(body, `"metadata":{"resourceVersion":"of the list"`)
	// The revision of an object's last change differs for the same reason.
	body = resourceVersion.ReplaceAllStringFunc(body, func(s string) string {
		return fmt.Sprintf(`"resourceVersion":"number %d"`, number(ids.versions, resourceVersion.FindStringSubmatch(s)[1]))
	})
	// A continue token holds a revision of the store, and the key to continue from.
	body = continueToken.ReplaceAllStringFunc(body, func(s string) string {
		token, err := base64.RawURLEncoding.DecodeString(continueToken.FindStringSubmatch(s)[1])
		if err != nil {
			return s
		}
		return `"continue":"` + tokenVersion.ReplaceAllLiteralString(string(token), `"rv":of the list`) + `"`
	})
	// The two servers may get the same request in different seconds.
	body = timestamp.ReplaceAllString(body, `"$1":"a time"`)
	body = tableAge.ReplaceAllString(body, `$1"an age"]`)

	header := a.header.Clone()
	// Date is the time of the answer. Last-Modified is the time when an OpenAPI
	// document was made, at the start of the server.
	for _, name := range []string{"Date", "Last-Modified"} {
		if header.Get(name) != "" {
			header.Set(name, "a time")
		}
	}
	// The length of the body depends on the number of digits of a revision. A wrong
	// Content-Length is not replaced.
	if header.Get("Content-Length") == length {
		header.Set("Content-Length", "the length of the body")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s\n", a.proto, a.status)
	_ = header.Write(&text) // sorted by name; a strings.Builder takes everything
	fmt.Fprintf(&text, "\n%s", body)
	// Uids are random: the uids of objects, and in the headers the uids of the flow
	// schema and the priority level.
	return uid.ReplaceAllStringFunc(text.String(), func(s string) string { return fmt.Sprintf("uid %d", number(ids.uids, s)) })
}

// asJSON decodes a Kubernetes object in protobuf, where times and revisions have no
// fixed place. It returns any other body unchanged.
func asJSON(body []byte) string {
	if !strings.HasPrefix(string(body), "k8s\x00") {
		return string(body)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return fmt.Sprintf("protobuf that cannot be read: %v: %q", err, body)
	}
	text, err := json.Marshal(object)
	if err != nil {
		return fmt.Sprintf("protobuf that cannot be written as JSON: %v: %q", err, body)
	}
	return "protobuf\n" + string(text)
}
