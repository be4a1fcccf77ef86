package trace

// These are the keys of call attributes that apitrace's code uses. Other keys are only in
// the guide. A key is a name of OpenTelemetry's semantic conventions, or begins with
// "apitrace.".
const (
	// AttrAdmissionPlugin names an admission plugin.
	AttrAdmissionPlugin = "apitrace.admission.plugin"
	// AttrAdmissionType is the type of an admission plugin.
	AttrAdmissionType = "apitrace.admission.type"
	// AttrAdmissionVerdict is the answer of an admission plugin.
	AttrAdmissionVerdict = "apitrace.admission.verdict"
	// AttrApiserviceLocal says whether kube-apiserver itself serves an API.
	AttrApiserviceLocal = "apitrace.apiservice.local"
	// AttrApiserviceName names an APIService.
	AttrApiserviceName = "apitrace.apiservice.name"
	// AttrApiserviceService is the Service behind an APIService.
	AttrApiserviceService = "apitrace.apiservice.service"
	// AttrAuthenticationOK says whether an authenticator knew the user.
	AttrAuthenticationOK = "apitrace.authentication.ok"
	// AttrAuthorizationDecision is the decision of an authorizer.
	AttrAuthorizationDecision = "apitrace.authorization.decision"
	// AttrAuthorizationReason is the reason for an authorizer's decision.
	AttrAuthorizationReason = "apitrace.authorization.reason"
	// AttrCacheDelegateToEtcd says whether the watch cache delegates a list to etcd.
	AttrCacheDelegateToEtcd = "apitrace.cache.delegate_to_etcd"
	// AttrCacheHit says whether a cache had the requested object.
	AttrCacheHit = "apitrace.cache.hit"
	// AttrCacheRevision is the current revision of the watch cache.
	AttrCacheRevision = "apitrace.cache.revision"
	// AttrCauses has the ids of the calls that gave the same work after the call's parent,
	// separated by spaces.
	AttrCauses = "apitrace.causes"
	// AttrClientTraceparent is the traceparent that the client sent.
	AttrClientTraceparent = "apitrace.client.traceparent"
	// AttrError is an error that a function handles.
	AttrError = "apitrace.error"
	// AttrEncryptionType is the Go type that encrypts objects before they are
	// written to etcd, or "nil".
	AttrEncryptionType = "apitrace.encryption.type"
	// AttrEtcdKey is a key in etcd.
	AttrEtcdKey = "apitrace.etcd.key"
	// AttrEtcdRevision is a revision of etcd. It links a write to the calls that
	// follow it.
	AttrEtcdRevision = "apitrace.etcd.revision"
	// AttrEtcdSerializable says whether a read of etcd may return an older state
	// than the cluster's latest.
	AttrEtcdSerializable = "apitrace.etcd.serializable"
	// AttrEtcdTxnDelete is the key that a transaction of etcd deletes if its
	// conditions are true.
	AttrEtcdTxnDelete = "apitrace.etcd.txn.delete"
	// AttrEtcdTxnPut is the key that a transaction of etcd writes if its
	// conditions are true.
	AttrEtcdTxnPut = "apitrace.etcd.txn.put"
	// AttrEtcdTxnSucceeded says whether a transaction's conditions were true.
	AttrEtcdTxnSucceeded = "apitrace.etcd.txn.succeeded"
	// AttrFieldManager is the owner of fields.
	AttrFieldManager = "apitrace.field_manager"
	// AttrFlowcontrolExempt says whether a request is exempt from flow control.
	AttrFlowcontrolExempt = "apitrace.flowcontrol.exempt"
	// AttrFlowcontrolFlowSchema is the FlowSchema of a request.
	AttrFlowcontrolFlowSchema = "apitrace.flowcontrol.flow_schema"
	// AttrFlowcontrolPriorityLevel is the PriorityLevelConfiguration of a request.
	AttrFlowcontrolPriorityLevel = "apitrace.flowcontrol.priority_level"
	// AttrGroupVersion is a group and version of the API.
	AttrGroupVersion = "apitrace.group_version"
	// AttrHandoff marks a call that took work from a queue. Its parent had put the
	// work into the queue. The call runs on a goroutine that the parent did not
	// start. The value names the queue.
	AttrHandoff = "apitrace.handoff"
	// AttrHookName names a post-start hook.
	AttrHookName = "apitrace.hook.name"
	// AttrKind is the kind of an object.
	AttrKind = "apitrace.kind"
	// AttrMediaType is a media type.
	AttrMediaType = "apitrace.media_type"
	// AttrObjectName is the name of an object.
	AttrObjectName = "apitrace.object.name"
	// AttrObjectUID is the UID of an object.
	AttrObjectUID = "apitrace.object.uid"
	// AttrObjectType is the Go type of an object.
	AttrObjectType = "apitrace.object.type"
	// AttrPath is the prefix of an API, or a path below a group and version.
	AttrPath = "apitrace.path"
	// AttrRBACAllowed says whether the checked RBAC rule allows the request.
	AttrRBACAllowed = "apitrace.rbac.allowed"
	// AttrRBACBinding is the RBAC binding of the checked rule; see AttrRBACAllowed.
	AttrRBACBinding = "apitrace.rbac.binding"
	// AttrRBACBindings is the number of RBAC bindings in a list.
	AttrRBACBindings = "apitrace.rbac.bindings"
	// AttrRequestAPIGroup is the API group of a request.
	AttrRequestAPIGroup = "apitrace.request.api_group"
	// AttrRequestAPIVersion is the API version of a request.
	AttrRequestAPIVersion = "apitrace.request.api_version"
	// AttrRequestName is the name of a request's object.
	AttrRequestName = "apitrace.request.name"
	// AttrRequestResource is the resource of a request.
	AttrRequestResource = "apitrace.request.resource"
	// AttrRequestSubresource is the subresource of a request.
	AttrRequestSubresource = "apitrace.request.subresource"
	// AttrRequestVerb is the verb of a request.
	AttrRequestVerb = "apitrace.request.verb"
	// AttrResource is a resource of the API.
	AttrResource = "apitrace.resource"
	// AttrResourceVersion is the resource version of an object, or of a request's options.
	AttrResourceVersion = "apitrace.resource_version"
	// AttrRoute is a route's path, with its parameters.
	AttrRoute = "apitrace.route"
	// AttrRouteFunction is a route's handler and its place.
	AttrRouteFunction = "apitrace.route.function"
	// AttrRouteMethod is the HTTP method of a route.
	AttrRouteMethod = "apitrace.route.method"
	// AttrRouteOperation is the name of a route in OpenAPI.
	AttrRouteOperation = "apitrace.route.operation"
	// AttrRoutePath is the path of an installed route.
	AttrRoutePath = "apitrace.route.path"
	// AttrServerName names one of the servers in a program.
	AttrServerName = "apitrace.server.name"
	// AttrStatusReason is the reason of an API error.
	AttrStatusReason = "apitrace.status.reason"
	// AttrStorageKey is a key in the store, without the cluster's prefix.
	AttrStorageKey = "apitrace.storage.key"
	// AttrStoragePrefix is the key prefix of a storage's objects.
	AttrStoragePrefix = "apitrace.storage.prefix"
	// AttrStorageType is the Go type of a resource's store.
	AttrStorageType = "apitrace.storage.type"
	// AttrStrategyType is the Go type of a strategy.
	AttrStrategyType = "apitrace.strategy.type"
	// AttrUpstreamEvent is an event of upstream's own tracing.
	AttrUpstreamEvent = "apitrace.upstream.event"
	// AttrUpstreamSpan is a span of upstream's own tracing.
	AttrUpstreamSpan = "apitrace.upstream.span"
	// AttrUserGroups has the groups of the user.
	AttrUserGroups = "apitrace.user.groups"
	// AttrUserImpersonated is the impersonated user.
	AttrUserImpersonated = "apitrace.user.impersonated"
	// AttrUserName is the name of the user.
	AttrUserName = "apitrace.user.name"
	// AttrWatchEvent is the type of an event for a watching client.
	AttrWatchEvent = "apitrace.watch.event"
	// AttrWebhookChanged says whether a webhook changed the object.
	AttrWebhookChanged = "apitrace.webhook.changed"
	// AttrWebhookConfiguration is the configuration of a webhook.
	AttrWebhookConfiguration = "apitrace.webhook.configuration"
	// AttrWebhookName names a webhook.
	AttrWebhookName = "apitrace.webhook.name"
	// AttrStatusCode is the status of an HTTP response.
	AttrStatusCode = "http.response.status_code"
	// AttrNamespace is a namespace.
	AttrNamespace = "k8s.namespace.name"
)
