package checkout

import (
	"cmp"
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/trace"
)

// committed returns which files differ from the checkout's commit, and the
// address of the commit.
func (c Checkout) committed(ctx context.Context) (*trace.CommittedTree, error) {
	t := &trace.CommittedTree{Uncommitted: map[string]bool{}}
	commit, err := c.commit(ctx)
	if err != nil {
		return nil, err
	}
	if c.Ref == "" {
		for _, args := range [][]string{
			{"diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", commit, "--", "*.go"},
			{"ls-files", "-z", "--others", "--", "*.go"}, // includes files that git ignores, because no commit has them
		} {
			files, err := git(ctx, c.Dir, args...)
			if err != nil {
				return nil, err
			}
			for name := range strings.SplitSeq(string(files), "\x00") {
				t.Uncommitted[name] = true
			}
		}
		delete(t.Uncommitted, "")
	}
	if repository := c.remoteWith(ctx, commit); repository != "" {
		t.URL = repository + "/blob/" + commit + "/"
	}
	return t, nil
}

// commit returns Ref, or the checked-out commit.
func (c Checkout) commit(ctx context.Context) (string, error) {
	if c.Ref != "" {
		return c.Ref, nil
	}
	head, err := git(ctx, c.Dir, "rev-parse", "--verify", "HEAD")
	return strings.TrimSpace(string(head)), err
}

// upstreamRepository is preferred to forks with the same commit.
const upstreamRepository = "https://github.com/kubernetes/kubernetes"

// remoteWith returns the page on GitHub of a remote that has a commit in a fetched branch.
// It returns "" if there is none, or if git fails.
func (c Checkout) remoteWith(ctx context.Context, commit string) string {
	branches, err := git(ctx, c.Dir, "for-each-ref", "--contains", commit, "--format=%(refname)", "refs/remotes/")
	if err != nil {
		return ""
	}
	listed, err := git(ctx, c.Dir, "remote")
	if err != nil {
		return ""
	}
	remotes := strings.Fields(string(listed))
	var pages []string
	for branch := range strings.Lines(string(branches)) {
		of := remoteOf(strings.TrimPrefix(strings.TrimSpace(branch), "refs/remotes/"), remotes)
		if of == "" {
			continue
		}
		address, err := git(ctx, c.Dir, "remote", "get-url", of)
		if err != nil {
			continue
		}
		page := githubPage(strings.TrimSpace(string(address)))
		if page == upstreamRepository {
			return page
		}
		pages = append(pages, page)
	}
	return cmp.Or(pages...)
}

// remoteOf returns a branch's remote, or "" if unknown. In a GitHub workflow, a
// pull request's branch is "pull/5/merge", without the remote's name. It belongs
// to the only remote.
func remoteOf(branch string, remotes []string) string {
	of := ""
	for _, remote := range remotes {
		if strings.HasPrefix(branch, remote+"/") && len(remote) > len(of) {
			of = remote
		}
	}
	if of == "" && len(remotes) == 1 && pullRequest.MatchString(branch) {
		of = remotes[0]
	}
	return of
}

var (
	pullRequest = regexp.MustCompile(`^pull/\d+/(merge|head)$`)
	// scpAddress is git's short form of an ssh address.
	scpAddress = regexp.MustCompile(`^(?:[^@/]+@)?([^:/]+):([^/].*)$`)
	// repositoryPath matches an owner and a name.
	repositoryPath = regexp.MustCompile(`^/[\w.-]+/[\w.-]+$`)
)

// githubPage returns the page of the repository with this address, without a password. For
// a repository that is not on GitHub, it returns "".
func githubPage(address string) string {
	host, path := "", ""
	if u, err := url.Parse(address); err == nil && slices.Contains([]string{"https", "http", "ssh", "git"}, u.Scheme) {
		host, path = u.Hostname(), u.Path
	} else if found := scpAddress.FindStringSubmatch(address); found != nil {
		host, path = found[1], "/"+found[2]
	}
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git")
	if host != "github.com" || !repositoryPath.MatchString(path) {
		return ""
	}
	return "https://github.com" + path
}
