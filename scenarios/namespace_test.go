package scenarios

import (
	"strings"
	"testing"
)

func TestOwnNamespace(t *testing.T) {
	const text = `name: shop
title: {en: Shop}
requests:
  - method: POST
    path: /api/v1/namespaces/${namespace}/configmaps?dryRun=All
    status: 201
    traced: true
    bodyFile: body.yaml
    expect:
      stored: [{op: PUT, key: "/registry/configmaps/${namespace}/a"}]
`
	open := func(string) ([]byte, error) {
		return []byte("kind: ConfigMap\nmetadata: {name: a, namespace: \"${namespace}\"}\n"), nil
	}
	s, err := parse("shop.yaml", []byte(text), open)
	if err != nil {
		t.Fatal(err)
	}
	request := s.Requests[0]
	if request.Path != "/api/v1/namespaces/shop/configmaps?dryRun=All" || request.Body.head.Metadata.Namespace != "shop" ||
		request.Expect.Stored[0].Key != "/registry/configmaps/shop/a" {
		t.Errorf("got %+v, expected the namespace \"shop\" in the path, the body and the stored key", request)
	}
	if !s.OwnNamespace || s.Source != text {
		t.Errorf("OwnNamespace is %v, expected true; Source is\n%s\nexpected\n%s", s.OwnNamespace, s.Source, text)
	}
	s, err = parse("shop.yaml", []byte(strings.ReplaceAll(text, "${namespace}", "default")), func(string) ([]byte, error) { return []byte("{}"), nil })
	if err != nil || s.OwnNamespace {
		t.Errorf("without ${namespace}: got the error %v and OwnNamespace %v, expected nil and false", err, s != nil && s.OwnNamespace)
	}
}
