package trace

import (
	"maps"
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

func TestRankFunctions(t *testing.T) {
	const exact, folded, part, other = "k8s.io/a.get", "k8s.io/a.(*store).Get", "k8s.io/a.(*store).GetList", "k8s.io/a.List"
	names := []string{other, part, folded, exact, part}
	for pattern, want := range map[string]map[string]int{
		"get":         {exact: 0, folded: 1, part: 2},
		"GET":         {exact: 0, folded: 0, part: 1},
		"getl":        {part: 0},
		"a.store.get": {folded: 0, part: 1},
		"A.store.Get": {folded: 0, part: 1},
		"store.Get":   {folded: 0, part: 1},
		"nothing":     {},
		"getLIST":     {part: 0},
	} {
		if got := RankFunctions(pattern, names); !maps.Equal(got, want) {
			t.Errorf("RankFunctions(%q) = %v, expected %v", pattern, got, want)
		}
	}
}

// TestHasEachWord finds names by words of the package, the receiver and the name, and other texts
// by words in any order.
func TestHasEachWord(t *testing.T) {
	for text, words := range map[string]map[string]bool{
		"k8s.io/quota.(*store).GetList":             {"GET quota": true, "list get": true, "get": false, "get uota": false, "get create": false},
		`deployments.apps "nginx" already exists`:   {"already exists deployment": true, "nginx exists": true, `"nginx" apps`: true, "already ists": false},
		"request.path=/apis/apps/v1/namespaces/ns1": {"apis namespaces": true, "path apps": true, "request spaces": false},
	} {
		for wanted, want := range words {
			if got := HasEachWord(text, wanted); got != want {
				t.Errorf("HasEachWord(%q, %q) = %v, expected %v", text, wanted, got, want)
			}
		}
	}
}

// TestRankOfWords checks that a match at the beginning of a word has a better rank than a
// match inside a word or in the import path.
func TestRankOfWords(t *testing.T) {
	names := []string{"k8s.io/rbac/v1.combine", "k8s.io/a.shallowCopy", "k8s.io/rbac.(*RBACAuthorizer).Authorize", "k8s.io/rbac.RuleAllows", "k8s.io/a.allow_it"}
	for pattern, want := range map[string]map[string]int{
		"rbac":       {names[2]: 0, names[3]: 0, names[0]: 1},
		"allow":      {names[3]: 0, names[4]: 0, names[1]: 1},
		"authorizer": {names[2]: 0},
	} {
		if got := RankFunctions(pattern, names); !maps.Equal(got, want) {
			t.Errorf("RankFunctions(%q) = %v, expected %v", pattern, got, want)
		}
	}
}

// TestNearFunctions checks that names with the words of the query are similar to it, and
// that names with other letters are not.
func TestNearFunctions(t *testing.T) {
	names := []string{"go.etcd.io/raft/v3.(*node).Propose", "k8s.io/cacher.(*watchCache).WaitUntilFreshAndGet", "k8s.io/handlers.createHandler"}
	for query, want := range map[string][]string{
		"nope":          nil,
		"":              nil,
		"GetWatchCache": names[1:2],
		"createHandlr":  names[2:],
		"node.Propos":   names[:1],
	} {
		if got := NearFunctions(query, names); !slices.Equal(got, want) {
			t.Errorf("NearFunctions(%q) = %q, expected %q", query, got, want)
		}
	}
}
