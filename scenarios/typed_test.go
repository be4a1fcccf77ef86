package scenarios

import (
	"strings"
	"testing"
)

func TestTypedRequest(t *testing.T) {
	for _, c := range []struct {
		typed TypedRequest
		// wrong is a part of the error, or "" for no error. body is the sent body.
		wrong, body string
	}{
		{typed: TypedRequest{Method: "GET", Path: "/api"}},
		{typed: TypedRequest{Method: "POST", Path: "/api", Body: []byte("a: 1")}, body: `{"a":1}`},
		{typed: TypedRequest{Method: "POST", Path: "/api", Body: []byte("a: 1"), Headers: []string{"content-type: text/plain"}}, body: "a: 1"},
		{typed: TypedRequest{Method: "G T", Path: "/api"}, wrong: `invalid method "G T"`},
		{typed: TypedRequest{Method: "GET", Path: "api"}, wrong: `invalid path "api"`},
		{typed: TypedRequest{Method: "GET", Path: "/%zz"}, wrong: `invalid path "/%zz": invalid URL escape "%zz"; no such request reaches the handlers`},
		{typed: TypedRequest{Method: "GET", Path: "/a\x1b"}, wrong: `invalid path "/a\x1b": net/url: invalid control character in URL`},
		{typed: TypedRequest{Method: "GET", Path: "/api", As: "root"}, wrong: `unknown user "root": expected one of learner, admin, anonymous, stranger`},
		{typed: TypedRequest{Method: "GET", Path: "/api", Headers: []string{"Accept"}}, wrong: `invalid header "Accept"`},
		{typed: TypedRequest{Method: "GET", Path: "/api", Headers: []string{"A: b\nc"}}, wrong: "invalid header"},
		{typed: TypedRequest{Method: "POST", Path: "/api", Body: []byte("---\n# nothing\n---\na: 1\n---\n")}, body: `{"a":1}`},
		{typed: TypedRequest{Method: "POST", Path: "/api", Body: []byte("a: 1\n---\na: 2\n---\na: 3\n"), BodyFile: "mine.yaml"}, wrong: "the body in mine.yaml has 3 YAML documents, and a request sends one"},
		{typed: TypedRequest{Method: "POST", Path: "/api", Body: []byte("{"), BodyFile: "mine.yaml"}, wrong: "the body in mine.yaml is neither YAML nor JSON"},
	} {
		h, err := c.typed.HTTP()
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%+v: error %v, expected %q", c.typed, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%+v: %v", c.typed, err)
		case c.body != "" && string(h.Body.JSON()) != c.body:
			t.Errorf("%+v: sends %s, expected %s", c.typed, h.Body.JSON(), c.body)
		}
	}
}
