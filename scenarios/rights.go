package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// rights are the rules of a role that apply to a user in a namespace.
type rights struct {
	user      string
	role      string // `Role "deployer"`, for messages
	namespace string
	rules     []rbacv1.PolicyRule
}

// rightsIn returns the rights that the objects grant to users. It leaves out bindings to
// roles that are not among the objects, such as built-in roles.
func rightsIn(objects []object) ([]rights, error) {
	roles := map[string][]rbacv1.PolicyRule{} // by "kind namespace/name"
	for _, o := range objects {
		if o.head.Kind != "Role" && o.head.Kind != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole // has all fields of a Role
		if err := json.Unmarshal(o.json, &role); err != nil {
			return nil, message.Errorf("reading %s: %w", o, err)
		}
		roles[roleKey(o.head.Kind, role.Namespace, role.Name)] = role.Rules
	}
	var all []rights
	for _, o := range objects {
		if o.head.Kind != "RoleBinding" && o.head.Kind != "ClusterRoleBinding" {
			continue
		}
		var binding rbacv1.RoleBinding // has all fields of a ClusterRoleBinding
		if err := json.Unmarshal(o.json, &binding); err != nil {
			return nil, message.Errorf("reading %s: %w", o, err)
		}
		rules := roles[roleKey(binding.RoleRef.Kind, binding.Namespace, binding.RoleRef.Name)]
		for _, subject := range binding.Subjects {
			if len(rules) == 0 || subject.Kind != rbacv1.UserKind {
				continue
			}
			role := fmt.Sprintf("%s %q", binding.RoleRef.Kind, binding.RoleRef.Name)
			all = append(all, rights{subject.Name, role, namespaceOr(binding.Namespace), rules})
		}
	}
	return all, nil
}

func roleKey(kind, namespace, name string) string {
	if kind == "ClusterRole" {
		return kind + " " + name
	}
	return kind + " " + namespaceOr(namespace) + "/" + name
}

func namespaceOr(namespace string) string {
	if namespace == "" {
		return metav1.NamespaceDefault
	}
	return namespace
}

// awaitRights waits until the server's authorizer knows the users' rights, or, if
// granted is false, has forgotten them. The authorizer learns of RBAC objects through a
// watch. It must forget the rights of the previous run, too: a warm-up could pass with
// these rights, and they could be gone when the traced request comes.
func (r *run) awaitRights(ctx context.Context, granted bool) error {
	for _, right := range r.rights {
		done := func() (bool, error) { return r.wire.knows(ctx, right, granted) }
		what := message.Of("the authorizer to know the rights of %q from %s", right.user, right.role)
		if !granted {
			what = message.Of("the authorizer to forget the rights of %q from %s: does another role give the same?", right.user, right.role)
		}
		if err := poll(ctx, done, what); err != nil {
			return err
		}
	}
	return nil
}

// knows reports whether the authorizer allows the user everything in the rules, or
// nothing of it if granted is false.
func (w *wire) knows(ctx context.Context, right rights, granted bool) (bool, error) {
	for _, rule := range right.rules {
		for _, spec := range reviewsOf(rule, right.namespace) {
			allowed, err := w.allows(ctx, right.user, spec)
			if err != nil || allowed != granted {
				return false, err
			}
		}
	}
	return true, nil
}

// reviewsOf returns a review for each action that the rule allows.
func reviewsOf(rule rbacv1.PolicyRule, namespace string) []authorizationv1.SubjectAccessReviewSpec {
	var specs []authorizationv1.SubjectAccessReviewSpec
	for _, verb := range rule.Verbs {
		for _, path := range rule.NonResourceURLs {
			specs = append(specs, authorizationv1.SubjectAccessReviewSpec{
				NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: verb, Path: path},
			})
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				resource, subresource, _ := strings.Cut(resource, "/")
				for _, name := range orEmpty(rule.ResourceNames) {
					specs = append(specs, authorizationv1.SubjectAccessReviewSpec{
						ResourceAttributes: &authorizationv1.ResourceAttributes{
							Namespace: namespace, Verb: verb, Group: group, Resource: resource, Subresource: subresource, Name: name,
						},
					})
				}
			}
		}
	}
	return specs
}

// orEmpty returns the names, or the empty name, which stands for any.
func orEmpty(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// allows asks the authorizer whether a user may do something. It asks as the
// administrator, because the user may have no right to ask.
func (w *wire) allows(ctx context.Context, user string, spec authorizationv1.SubjectAccessReviewSpec) (bool, error) {
	spec.User = user
	spec.Groups = []string{"system:authenticated"}
	review := authorizationv1.SubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SubjectAccessReview"},
		Spec:     spec,
	}
	text, err := json.Marshal(review)
	if err != nil {
		return false, err
	}
	sent := w.send(ctx, &HTTP{
		Method: http.MethodPost, Path: "/apis/authorization.k8s.io/v1/subjectaccessreviews", As: Admin,
		Body: &Document{json: text},
	}, "")
	if err := sent.must(http.StatusCreated); err != nil {
		return false, message.Errorf("asking for the rights of %q: %w", user, err)
	}
	if err := json.Unmarshal(sent.Body, &review); err != nil {
		return false, message.Errorf("reading the rights of %q: %w", user, err)
	}
	return review.Status.Allowed, nil
}
