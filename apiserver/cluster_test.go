package apiserver

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"
)

var testCluster = &Cluster{Users: []ClusterUser{{Name: "system:kube-scheduler"}, {Name: "system:node:n1", Groups: []string{"system:nodes", "more"}}}}

// kube-apiserver reads the file of tokens as CSV: token, user, uid, groups.
func TestClusterTokens(t *testing.T) {
	dir := t.TempDir()
	s := &Server{processes: &ownedProcesses{}, Cluster: true, cluster: newClusterFiles(dir, *testCluster)}
	f, err := s.writeFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.Open(f.tokens)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	lines := csv.NewReader(text)
	lines.FieldsPerRecord = -1
	all, err := lines.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range testCluster.Users {
		want := []string{s.cluster.tokenOf[u.Name], u.Name, u.Name, strings.Join(u.Groups, ",")}
		if want[0] == "" || !slices.ContainsFunc(all, func(line []string) bool { return slices.Equal(line, want) }) {
			t.Errorf("the tokens lack %q:\n%q", want, all)
		}
	}
	if ca, err := os.ReadFile(s.CAFile()); err != nil || string(ca) != string(s.CAPEM) {
		t.Errorf("%s does not hold the server's authority (%v)", s.CAFile(), err)
	}
}

// Only the server of a cluster decides as in a cluster, and is not taken for another.
func TestClusterServer(t *testing.T) {
	for _, flag := range []string{"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"} {
		if !slices.Contains((&Server{Cluster: true}).flags(files{}, 1), flag) {
			t.Errorf("the server of a cluster has no %s", flag)
		}
		if slices.Contains((&Server{}).flags(files{}, 1), flag) {
			t.Errorf("a server alone has %s", flag)
		}
	}
	if with, without := (StartOptions{Cluster: testCluster}).Variant(), (StartOptions{}).Variant(); with == without {
		t.Errorf("both have the variant %q", with)
	}
}
