package trace

import (
	"slices"
	"testing"
)

func TestMatchFunctions(t *testing.T) {
	names := []string{
		"k8s.io/apiserver/pkg/storage/etcd3.(*store).Get", "k8s.io/apiserver/pkg/storage/etcd3.(*store).GetList",
		"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac.(*RBACAuthorizer).Authorize",
		"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac.RuleAllows",
		"k8s.io/apiserver/pkg/authorization/union.unionAuthzHandler.Authorize",
	}
	for pattern, want := range map[string][]int{
		"etcd3.(*store).Get":     {0},
		"etcd3.(*store).Get...":  {0, 1},
		"etcd3":                  {0, 1},
		"ETCD3.(*STORE).GET":     {0},
		"store.get":              {0, 1},
		"rbac.*":                 {2, 3},
		"'rbac.*":                nil,
		"unionauthz":             {4},
		"(*store).*":             {0, 1},
		"k8s.io/apiserver/pkg/*": {0, 1, 4},
		"*authorize":             {2, 4},
		"nothing":                nil,
	} {
		var expected []string
		for _, i := range want {
			expected = append(expected, names[i])
		}
		slices.Sort(expected)
		if got := MatchFunctions(pattern, names); !slices.Equal(got, expected) {
			t.Errorf("MatchFunctions(%q) = %q, expected %q", pattern, got, expected)
		}
	}
}
