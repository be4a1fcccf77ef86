package view

import (
	"fmt"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/trace"
)

// rules make sentences, each of one kind.
var rules = []rule{
	{"request", 90, false, sayRequest},
	{"caller", 95, false, sayCaller},
	{"impersonated", 95, true, sayImpersonated},
	{"flow", 85, false, sayFlow},
	{"permission", 98, false, sayPermission},
	{"route", 70, false, sayRoute},
	{"aggregated", 96, false, sayAggregated},
	{"storage", 50, false, sayHandler},
	{"body", 65, false, sayBody},
	{"owners", 55, false, sayOwners},
	{"admission", 92, false, sayAdmission},
	{"webhook", 94, false, sayWebhook},
	{"strategy", 68, false, sayStrategy},
	{"registry", 40, false, sayRegistry},
	{"cache", 97, false, sayCache},
	{"cached-list", 97, false, sayCachedList},
	{"etcd", 97, false, sayEtcd},
	{"etcd-server", 60, false, sayEtcdServer},
	{"etcd-read", 58, false, sayEtcdRead},
	{"stored-form", 45, false, sayStoredForm},
	{"answer", 93, true, sayAnswer},
	{"event", 75, false, sayEvent},
	{"sent", 76, false, saySent},
}

var (
	saysResource    = message.Text{En: "the path means: %s", Zh: "路径的含义：%s"}
	saysNonResource = message.Text{En: "the path names no resource; the verb is %s", Zh: "路径不指向任何资源；动词是 %s"}
	inNamespace     = message.Text{En: "in namespace %s", Zh: "（命名空间 %s）"}
	inGroup         = message.Text{En: "of group %s", Zh: "（API 组 %s）"}
)

func sayRequest(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	verb := call.Attributes[trace.AttrRequestVerb]
	if _, ok := call.Attributes[trace.AttrRequestAPIVersion]; !ok || verb == "" {
		return "", false
	}
	resource := call.Attributes[trace.AttrRequestResource]
	if resource == "" {
		return saysNonResource.Format(t.lang, verb), true
	}
	if sub := call.Attributes[trace.AttrRequestSubresource]; sub != "" {
		resource += "/" + sub
	}
	group, namespace := call.Attributes[trace.AttrRequestAPIGroup], call.Attributes[trace.AttrNamespace]
	if group != "" {
		group = inGroup.Format(t.lang, group)
	}
	if namespace != "" {
		namespace = inNamespace.Format(t.lang, namespace)
	}
	return saysResource.Format(t.lang, join(verb, resource, call.Attributes[trace.AttrRequestName], group, namespace)), true
}

var (
	saysCaller   = message.Text{En: "the caller is %s", Zh: "调用者是 %s"}
	saysAccepted = message.Text{En: "the caller is %s, accepted by %s", Zh: "调用者是 %s，由 %s 认可"}
	saysUnknown  = message.Text{En: "nobody knows the caller", Zh: "无法识别调用者"}
)

func sayCaller(t *taleTeller, i int, call *trace.Call) (string, bool) {
	switch call.Attributes[trace.AttrAuthenticationOK] {
	case "true":
		if by := accepting(t.tree, i); by >= 0 && call.Attributes[trace.AttrUserName] != "" {
			return saysAccepted.Format(t.lang, call.Attributes[trace.AttrUserName], t.tree.Call(by).ShortName()), true
		}
		if user := call.Attributes[trace.AttrUserName]; user != "" {
			return saysCaller.Format(t.lang, user), true
		}
	case "false":
		return saysUnknown.In(t.lang), t.tree.Request.Status == 401
	}
	return "", false
}

// accepting returns the innermost call that knew the user, from authenticator i downwards; -1 if that is a union, which
// only asks others: then those that it asked recorded no answer.
func accepting(tree *trace.Tree, i int) int {
	if tree.Call(i).Attributes[trace.AttrAuthenticationOK] != "true" {
		return -1
	}
	by := i
	for below := i + 1; below < tree.End(by); below++ {
		if tree.Call(below).Attributes[trace.AttrAuthenticationOK] == "true" {
			by = below
		}
	}
	if strings.HasSuffix(funcname.Package(tree.Call(by).Function), "/union") {
		return -1
	}
	return by
}

var saysImpersonated = message.Text{En: "from here on the request runs as %s", Zh: "此后请求以 %s 的身份执行"}

func sayImpersonated(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	user := call.Attributes[trace.AttrUserImpersonated]
	return saysImpersonated.Format(t.lang, user), user != ""
}

var (
	saysFlow   = message.Text{En: "flow schema %s sends it to priority level %s", Zh: "流模式 %s 将其归入优先级 %s"}
	saysExempt = message.Text{En: "flow schema %s sends it to priority level %s: it never waits", Zh: "流模式 %s 将其归入优先级 %s：无需排队"}
)

func sayFlow(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	schema, level := call.Attributes[trace.AttrFlowcontrolFlowSchema], call.Attributes[trace.AttrFlowcontrolPriorityLevel]
	says := saysFlow
	if call.Attributes[trace.AttrFlowcontrolExempt] == "true" {
		says = saysExempt
	}
	return says.Format(t.lang, schema, level), schema != ""
}

var (
	saysAllowedBy = message.Text{En: "RBAC allows it by %s", Zh: "RBAC 依据 %s 允许"}
	saysAllowed   = message.Text{En: "it is allowed: %s", Zh: "允许：%s"}
	saysNotBy     = message.Text{En: "it is not allowed: %s", Zh: "不允许：%s"}
)

func sayPermission(t *taleTeller, i int, call *trace.Call) (string, bool) {
	switch decision(call) {
	case "":
		return "", false
	case "Allow":
		reason := call.Attributes[trace.AttrAuthorizationReason]
		if by, ok := strings.CutPrefix(reason, "RBAC: allowed by "); ok {
			return saysAllowedBy.Format(t.lang, by), true
		}
		return saysAllowed.Format(t.lang, reason), true
	}
	return saysNotBy.Format(t.lang, whyNot(t.tree, i)), true
}

var saysRoute = message.Text{En: "the route is %s", Zh: "路由为 %s"}

func sayRoute(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	route := call.Attributes[trace.AttrRoute]
	return saysRoute.Format(t.lang, route), route != ""
}

var saysAggregated = message.Text{En: "the request goes on to another API server: %s serves %s", Zh: "请求转交另一个 API server：%s 提供 %s"}

func sayAggregated(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	if call.Attributes[trace.AttrApiserviceLocal] != "false" {
		return "", false
	}
	return saysAggregated.Format(t.lang, call.Attributes[trace.AttrApiserviceService], call.Attributes[trace.AttrApiserviceName]), true
}

var saysHandler = message.Text{En: "the handler works on the storage %s", Zh: "处理器使用存储 %s"}

func sayHandler(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	storage := with(call, trace.AttrStorageType)
	return saysHandler.Format(t.lang, storage), storage != "" && t.classifier.Layer(call.Function) == trace.LayerHandler
}

var saysBody = message.Text{En: "the body is decoded: %s becomes %s", Zh: "解码请求体：%s 变为 %s"}

func sayBody(t *taleTeller, i int, call *trace.Call) (string, bool) {
	kind, object := with(call, trace.AttrKind), with(call, trace.AttrObjectType)
	if kind == "" || object == "" || object == "nil" || t.classifier.Layer(call.Function) != trace.LayerCodec || t.above(i, trace.LayerRegistry, trace.LayerCacher, trace.LayerEtcd3, trace.LayerResponse) {
		return "", false
	}
	return saysBody.Format(t.lang, kind, object), true
}

var saysOwners = message.Text{En: "manager %s becomes the owner of the fields that it sets", Zh: "记录字段归属：管理者 %s"}

func sayOwners(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	manager := call.Attributes[trace.AttrFieldManager]
	return saysOwners.Format(t.lang, manager), manager != "" && t.classifier.Layer(call.Function) == trace.LayerFieldManager
}

var (
	saysMutating   = message.Text{En: "all %d plugins that may mutate accept, %d of them after further calls", Zh: "可变更对象的 %d 个插件全部接受，其中 %d 个做了进一步调用"}
	saysValidating = message.Text{En: "all %d plugins that may validate accept, %d of them after further calls", Zh: "可校验对象的 %d 个插件全部接受，其中 %d 个做了进一步调用"}
	saysRefuses    = message.Text{En: "admission plugin %s refuses", Zh: "准入插件 %s 拒绝了请求"}
)

func sayAdmission(t *taleTeller, i int, call *trace.Call) (string, bool) {
	if call.Attributes[trace.AttrAdmissionVerdict] == "" || call.Attributes[trace.AttrAdmissionPlugin] != "" {
		return "", false
	}
	s := &Story{View: &View{Tree: t.tree}}
	asked, worked := map[string]bool{}, map[string]bool{} // by name: some are asked twice
	for below := i + 1; below < t.tree.End(i); below++ {
		for _, p := range s.Plugins(&Node{Calls: []int{below}}) {
			switch p.kind() {
			case PluginsOther:
				return saysRefuses.Format(t.lang, p.Name), true
			case PluginsNotAsked:
				continue
			case PluginsWorked:
				worked[p.Name] = true
			}
			asked[p.Name] = true
		}
	}
	says := saysMutating
	if strings.HasSuffix(call.Function, ".Validate") {
		says = saysValidating
	}
	return says.Format(t.lang, len(asked), len(worked)), len(asked) > 0
}

var (
	saysChanged = message.Text{En: "webhook %s of %s changes the object", Zh: "%[2]s 的 webhook %[1]s 修改了对象"}
	saysAsked   = message.Text{En: "webhook %s of %s is asked: %s", Zh: "询问 %[2]s 的 webhook %[1]s：%[3]s"}
)

func sayWebhook(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	name, verdict := call.Attributes[trace.AttrWebhookName], call.Attributes[trace.AttrAdmissionVerdict]
	if name == "" || verdict == "" {
		return "", false
	}
	if call.Attributes[trace.AttrWebhookChanged] == "true" {
		return saysChanged.Format(t.lang, name, call.Attributes[trace.AttrWebhookConfiguration]), true
	}
	return saysAsked.Format(t.lang, name, call.Attributes[trace.AttrWebhookConfiguration], verdict), true
}

var saysStrategy = message.Text{En: "the resource's strategy %s checks what is asked for", Zh: "资源策略 %s 检查请求内容"}

func sayStrategy(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	strategy := with(call, trace.AttrStrategyType)
	return saysStrategy.Format(t.lang, strategy), strategy != "" && t.classifier.Layer(call.Function) == trace.LayerStrategy
}

var saysRegistry = message.Text{En: "the generic store takes over for %s", Zh: "由 %s 的通用 store 接手"}

func sayRegistry(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	resource := call.Attributes[trace.AttrResource]
	return saysRegistry.Format(t.lang, resource), resource != "" && t.classifier.Layer(call.Function) == trace.LayerRegistry
}

var (
	saysHit  = message.Text{En: "the watch cache answers, at revision %s; etcd is not asked", Zh: "由 watch cache 应答（revision %s），不询问 etcd"}
	saysMiss = message.Text{En: "the watch cache does not have the object", Zh: "watch cache 中没有该对象"}
)

func sayCache(t *taleTeller, i int, call *trace.Call) (string, bool) {
	switch call.Attributes[trace.AttrCacheHit] {
	case "true":
		return saysHit.Format(t.lang, call.Attributes[trace.AttrCacheRevision]), true
	case "false":
		return saysMiss.In(t.lang), true
	}
	return "", false
}

var (
	saysListCached = message.Text{En: "the watch cache answers the list, at revision %s", Zh: "由 watch cache 应答列表（revision %s）"}
	saysDelegates  = message.Text{En: "the watch cache passes the list on to etcd", Zh: "watch cache 将列表请求转交 etcd"}
)

// sayCachedList is about lists that the registry asks for. Flow control asks the watch cache, too, to
// estimate how much work a list will be.
func sayCachedList(t *taleTeller, i int, call *trace.Call) (string, bool) {
	if !t.above(i, trace.LayerRegistry) {
		return "", false
	}
	if call.Attributes[trace.AttrCacheDelegateToEtcd] == "true" {
		return saysDelegates.In(t.lang), true
	}
	revision := call.Attributes[trace.AttrCacheRevision]
	if revision == "" || call.Attributes[trace.AttrCacheHit] != "" {
		return "", false
	}
	return saysListCached.Format(t.lang, revision), true
}

var (
	saysEtcdRead    = message.Text{En: "etcd answers, not the watch cache: key %s, at revision %s", Zh: "由 etcd 应答（不是 watch cache）：键 %s，revision %s"}
	saysEtcdFresh   = message.Text{En: "etcd is only asked for its revision, so that the cache's answer is not older: key %s, revision %s", Zh: "只向 etcd 询问当前 revision，以保证缓存的应答不旧：键 %s，revision %s"}
	saysEtcdAsks    = message.Text{En: "etcd is asked: key %s, at revision %s", Zh: "询问 etcd：键 %s，revision %s"}
	saysEtcdWritten = message.Text{En: "etcd stores it: key %s, at revision %s", Zh: "etcd 写入：键 %s，revision %s"}
	saysEtcdDeleted = message.Text{En: "etcd deletes it: key %s, at revision %s", Zh: "etcd 删除：键 %s，revision %s"}
	saysEtcdRefused = message.Text{En: "etcd changes nothing, for the key %s is not as the transaction demands: revision %s", Zh: "etcd 未作改动，因为键 %s 不符合事务的条件：revision %s"}
)

func sayEtcd(t *taleTeller, i int, call *trace.Call) (string, bool) {
	key, revision := call.Attributes[trace.AttrEtcdKey], call.Attributes[trace.AttrEtcdRevision]
	if t.classifier.Layer(call.Function) != trace.LayerEtcdClient || key == "" || revision == "" {
		return "", false
	}
	says := saysEtcdAsks
	switch call.Attributes[trace.AttrEtcdTxnSucceeded] {
	case "true":
		says = saysEtcdWritten
		if t.deletes(i) {
			says = saysEtcdDeleted
		}
	case "false":
		says = saysEtcdRefused
	default:
		switch {
		case i < t.end["cached-list"]:
			says = saysEtcdFresh
		case t.tree.Request.Method == "GET" && t.above(i, trace.LayerCacher):
			says = saysEtcdRead
		}
	}
	return says.Format(t.lang, key, revision), true
}

// deletes reports whether the transaction of call i deletes a key.
func (t *taleTeller) deletes(i int) bool {
	for below := i; below < t.tree.End(i); below++ {
		if t.tree.Call(below).Attributes[trace.AttrEtcdTxnDelete] != "" {
			return true
		}
	}
	return false
}

var saysEtcdServer = message.Text{En: "etcd works on it in its own process", Zh: "etcd 在自己的进程中处理"}

func sayEtcdServer(t *taleTeller, i int, call *trace.Call) (string, bool) {
	return saysEtcdServer.In(t.lang), call.Process == trace.ProcessEtcd && t.tree.Call(0).Process != trace.ProcessEtcd && t.classifier.Key(call.Function)
}

var (
	saysLinearizable = message.Text{En: "a linearizable read (serializable=false): etcd first makes sure that this member is up to date", Zh: "线性一致读（serializable=false）：etcd 先确认本成员的数据是最新的"}
	saysSerializable = message.Text{En: "a serializable read (serializable=true): etcd answers from what this member has, without asking the others", Zh: "串行化读（serializable=true）：etcd 直接用本成员已有的数据应答，不询问其他成员"}
)

func sayEtcdRead(t *taleTeller, _ int, call *trace.Call) (string, bool) {
	switch call.Attributes[trace.AttrEtcdSerializable] {
	case "false":
		return saysLinearizable.In(t.lang), true
	case "true":
		return saysSerializable.In(t.lang), true
	}
	return "", false
}

var saysStoredForm = message.Text{En: "what etcd holds is decoded: %s becomes %s", Zh: "解码 etcd 中的内容：%s 变为 %s"}

func sayStoredForm(t *taleTeller, i int, call *trace.Call) (string, bool) {
	object := with(call, trace.AttrObjectType)
	kind := with(call, trace.AttrKind)
	if object == "" || object == "nil" || kind == "" || t.classifier.Layer(call.Function) != trace.LayerCodec || !t.above(i, trace.LayerEtcd3) || t.tree.Request.Method != "GET" {
		return "", false
	}
	return saysStoredForm.Format(t.lang, kind, object), true
}

var (
	saysAnswer   = message.Text{En: "the answer is %s", Zh: "应答 %s"}
	saysAnswerAs = message.Text{En: "the answer is %s, written as %s", Zh: "应答 %s，格式 %s"}
)

func sayAnswer(t *taleTeller, i int, call *trace.Call) (string, bool) {
	code := call.Attributes[trace.AttrStatusCode]
	if code == "" || code != fmt.Sprint(t.tree.Request.Status) {
		return "", false
	}
	for below := i; below < t.tree.End(i); below++ {
		if media := t.tree.Call(below).Attributes[trace.AttrMediaType]; media != "" {
			return saysAnswerAs.Format(t.lang, code, media), true
		}
	}
	return saysAnswer.Format(t.lang, code), true
}

var saysEvent = message.Text{En: "later the watch cache takes up the event %s of revision %s", Zh: "随后 watch cache 接收 revision %[2]s 的事件 %[1]s"}

func sayEvent(t *taleTeller, i int, call *trace.Call) (string, bool) {
	event, revision := call.Attributes[trace.AttrWatchEvent], call.Attributes[trace.AttrResourceVersion]
	watch := call.Attributes[trace.AttrHandoff] == trace.HandoffWatch && t.classifier.Layer(call.Function) == trace.LayerCacher
	return saysEvent.Format(t.lang, event, revision), watch && event != "" && revision != ""
}

var saysSent = message.Text{En: "a watcher is sent %s of revision %s", Zh: "向监听者发送 revision %[2]s 的 %[1]s"}

func saySent(t *taleTeller, i int, call *trace.Call) (string, bool) {
	event, revision := call.Attributes[trace.AttrWatchEvent], call.Attributes[trace.AttrEtcdRevision]
	return saysSent.Format(t.lang, event, revision), call.Attributes[trace.AttrStorageKey] != "" && event != "" && t.above(i, trace.LayerCacher) && call.Attributes[trace.AttrHandoff] == ""
}
