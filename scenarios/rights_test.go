package scenarios

import (
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

func TestReviewsOfRule(t *testing.T) {
	rules := []rbacv1.PolicyRule{
		{Verbs: []string{"get", "list"}, APIGroups: []string{""}, Resources: []string{"nodes"}},
		{Verbs: []string{"update"}, APIGroups: []string{"apps"}, Resources: []string{"deployments/scale"}, ResourceNames: []string{"a", "b"}},
		{Verbs: []string{"get"}, NonResourceURLs: []string{"/metrics"}},
	}
	var got []string
	for _, rule := range rules {
		for _, spec := range reviewsOf(rule, "default") {
			if n := spec.NonResourceAttributes; n != nil {
				got = append(got, n.Verb+" "+n.Path)
				continue
			}
			r := spec.ResourceAttributes
			got = append(got, fmt.Sprintf("%s %s.%s/%s %s in %s", r.Verb, r.Resource, r.Group, r.Subresource, r.Name, r.Namespace))
		}
	}
	want := `get nodes./  in default
list nodes./  in default
update deployments.apps/scale a in default
update deployments.apps/scale b in default
get /metrics`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestRightsInObjects(t *testing.T) {
	s := find(t, "create-deployment")
	var objects []object
	for i := range s.Setup.Objects {
		objects = append(objects, object{Document: &s.Setup.Objects[i]})
	}
	got, err := rightsIn(objects)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].user != Learner || got[0].role != `Role "deployer"` || got[0].namespace != "create-deployment" || len(got[0].rules) != 1 {
		t.Errorf("got %+v, expected the learner's rights from the Role \"deployer\"", got)
	}
	if got, _ := rightsIn(objects[:1]); len(got) != 0 {
		t.Errorf("a role without a binding: got the rights %+v, expected none", got)
	}
}
