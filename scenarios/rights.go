package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rights is what a role of the setup allows the learner in a namespace.
type rights struct {
	role      string // `Role "deployer"`, for messages
	namespace string
	rules     []rbacv1.PolicyRule
}

// rightsIn returns the rights that the objects give the learner. A binding to a
// role that is not among them (a built-in one) is left to the warm-up.
func rightsIn(objects []object) ([]rights, error) {
	roles := map[string][]rbacv1.PolicyRule{} // by "kind namespace/name"
	for _, o := range objects {
		if o.head.Kind != "Role" && o.head.Kind != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole // has all that a Role has
		if err := json.Unmarshal(o.json, &role); err != nil {
			return nil, fmt.Errorf("reading %s: %w", o, err)
		}
		roles[roleKey(o.head.Kind, role.Namespace, role.Name)] = role.Rules
	}
	var all []rights
	for _, o := range objects {
		if o.head.Kind != "RoleBinding" && o.head.Kind != "ClusterRoleBinding" {
			continue
		}
		var binding rbacv1.RoleBinding // has all that a ClusterRoleBinding has
		if err := json.Unmarshal(o.json, &binding); err != nil {
			return nil, fmt.Errorf("reading %s: %w", o, err)
		}
		rules := roles[roleKey(binding.RoleRef.Kind, binding.Namespace, binding.RoleRef.Name)]
		if len(rules) > 0 && slices.ContainsFunc(binding.Subjects, isLearner) {
			all = append(all, rights{fmt.Sprintf("%s %q", binding.RoleRef.Kind, binding.RoleRef.Name), namespaceOr(binding.Namespace), rules})
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

func isLearner(s rbacv1.Subject) bool {
	return s.Kind == rbacv1.UserKind && s.Name == Learner
}

// awaitRights waits until the server's authorizer, which hears of RBAC objects
// through a watch, knows the learner's rights, or no longer knows them. Both
// matter: rights left from the run before would let a warm-up pass and be
// gone when the traced request comes.
func (r *run) awaitRights(ctx context.Context, granted bool) error {
	for _, right := range r.rights {
		done := func() (bool, error) { return r.wire.knows(ctx, right, granted) }
		what := fmt.Sprintf("the authorizer to know the learner's rights from %s", right.role)
		if !granted {
			what = fmt.Sprintf("the authorizer to forget the learner's rights from %s: does another role give the same?", right.role)
		}
		if err := poll(ctx, done, what); err != nil {
			return err
		}
	}
	return nil
}

// knows tells whether all rules are among those that the server would apply to
// the learner, or, with granted false, whether none is.
func (w *wire) knows(ctx context.Context, right rights, granted bool) (bool, error) {
	review := authorizationv1.SelfSubjectRulesReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authorization.k8s.io/v1", Kind: "SelfSubjectRulesReview"},
		Spec:     authorizationv1.SelfSubjectRulesReviewSpec{Namespace: right.namespace},
	}
	text, err := json.Marshal(review)
	if err != nil {
		return false, err
	}
	sent := w.send(ctx, &HTTP{
		Method: http.MethodPost, Path: "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
		Body: &Document{json: text},
		// The review shows the rights of whoever asks. The learner itself may not ask
		// for one, so the admin does in its name, and with its own group's right to.
		As: Admin, Headers: map[string]string{"Impersonate-User": Learner, "Impersonate-Group": "system:masters"},
	}, "")
	if err := sent.must(http.StatusCreated); err != nil {
		return false, fmt.Errorf("asking for the learner's rights: %w", err)
	}
	if err := json.Unmarshal(sent.Body, &review); err != nil {
		return false, fmt.Errorf("reading the learner's rights: %w", err)
	}
	return !slices.ContainsFunc(right.rules, func(rule rbacv1.PolicyRule) bool {
		return among(rule, &review.Status) != granted
	}), nil
}

// among tells whether the rule is one of those in the review.
func among(rule rbacv1.PolicyRule, known *authorizationv1.SubjectRulesReviewStatus) bool {
	if len(rule.NonResourceURLs) > 0 {
		return slices.ContainsFunc(known.NonResourceRules, func(k authorizationv1.NonResourceRule) bool {
			return slices.Equal(k.Verbs, rule.Verbs) && slices.Equal(k.NonResourceURLs, rule.NonResourceURLs)
		})
	}
	return slices.ContainsFunc(known.ResourceRules, func(k authorizationv1.ResourceRule) bool {
		return slices.Equal(k.Verbs, rule.Verbs) && slices.Equal(k.APIGroups, rule.APIGroups) &&
			slices.Equal(k.Resources, rule.Resources) && slices.Equal(k.ResourceNames, rule.ResourceNames)
	})
}
