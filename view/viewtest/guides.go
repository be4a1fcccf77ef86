package viewtest

import (
	"strings"
	"sync"

	"github.com/kubeapitrace/apitrace/trace"
)

// FirstGuide is a small view.Guide for tests. It finds key steps by parts of
// their names.
type FirstGuide struct{ fewWords }

// fewWords has the texts of a view.Guide.
type fewWords struct{}

func (fewWords) Title(layer string) string { return strings.ToUpper(layer) }

func (fewWords) Note(function string) string {
	return "What " + function + " decides, and what to look at next. 二进制对象太大了。"
}

func (fewWords) Values(string) []string {
	return []string{trace.AttrEtcdKey, trace.AttrObjectType, trace.AttrEtcdKey}
}

var keyParts = []string{
	"WithPanicRecovery.func1", "WithRequestInfo.func1", "timeoutHandler).ServeHTTP.func1", "withAuthentication.func1",
	"unionAuthRequestHandler).AuthenticateRequest", "TokenAuthenticator).AuthenticateToken", "WithAudit.func1",
	"priorityAndFairnessHandler).Handle", "withAuthorization.func1", "RBACAuthorizer).Authorize", "authorizingVisitor).visit",
	"director.ServeHTTP", "Container).dispatch", "restfulGetResource.func1", "restfulCreateResource.func1", "getResourceHandler.func1",
	"createHandler.func1", "registry.(*Store).Get", "registry.(*Store).Create", "CacheDelegator).Get", "CacheDelegator).Create",
	"etcd3.(*store).Get", "etcd3.(*store).Create", "kubernetes.Client", "kvServer).Range", "kvServer).Txn", "txn.Range", "txn.put",
	"Decoder).Decode", "NegotiateInputSerializer", "SetObjectDefaults", "Convert_v1_Deployment", "chainAdmissionHandler",
	"rest.BeforeCreate", "deploymentStrategy.", "WriteObjectNegotiated", "RequestScope).err",
}

// keys caches the results of Key, as any guide for large traces does.
var keys sync.Map

func (g FirstGuide) Key(function string) bool {
	if key, ok := keys.Load(function); ok {
		return key.(bool)
	}
	key := g.key(function)
	keys.Store(function, key)
	return key
}

func (g FirstGuide) key(function string) bool {
	for _, part := range keyParts {
		if strings.Contains(function, part) {
			return true
		}
	}
	return g.Group(function) != ""
}

func (FirstGuide) Layer(function string) string {
	for _, layer := range []string{trace.LayerFilters, "authorizer", trace.LayerAdmission, trace.LayerRegistry, trace.LayerEtcd3} {
		if strings.Contains(function, "/"+layer+".") || strings.Contains(function, "/"+layer+"/") {
			return layer
		}
	}
	return ""
}

func (FirstGuide) Group(function string) string {
	if strings.Contains(function, "pluginHandlerWithMetrics.") {
		return "admission plugin"
	}
	return ""
}

func (FirstGuide) Minor(string) bool { return false }

func (FirstGuide) Constructor(function string) bool {
	return strings.HasSuffix(function, "admission.NewForbidden")
}

// ByName is a view.Guide for functions with invented names. Parts of a name
// say how the function is classified.
type ByName struct{ fewWords }

func (ByName) Layer(function string) string {
	if layer, ok := strings.CutPrefix(function, "k8s.io/p.f"); ok {
		return layer
	}
	layer, _, ok := strings.Cut(function, "/")
	if !ok {
		return ""
	}
	return layer
}
func (ByName) Key(function string) bool         { return !strings.HasSuffix(function, "plumbing") }
func (ByName) Minor(function string) bool       { return strings.Contains(function, "minor") }
func (ByName) Constructor(function string) bool { return strings.HasPrefix(function, "p.New") }
func (ByName) Group(function string) string {
	if strings.Contains(function, "group") {
		return "one of a group"
	}
	return ""
}
