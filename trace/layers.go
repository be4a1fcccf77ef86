package trace

// These are the names of the guide's layers. The guide has their titles. A layer
// is a part of the servers. A request reaches the layers in this order.
const (
	LayerFilters         = "filters"
	LayerServer          = "server"
	LayerAudit           = "audit"
	LayerInstaller       = "installer"
	LayerAuthentication  = "authentication"
	LayerAuthorization   = "authorization"
	LayerFlowControl     = "flowcontrol"
	LayerRouting         = "routing"
	LayerAggregator      = "aggregator"
	LayerExtensions      = "extensions"
	LayerDiscovery       = "discovery"
	LayerHandler         = "handler"
	LayerNegotiation     = "negotiation"
	LayerResponse        = "response"
	LayerCodec           = "codec"
	LayerConversion      = "conversion"
	LayerFieldManager    = "fieldmanager"
	LayerAdmission       = "admission"
	LayerCEL             = "cel"
	LayerInformer        = "informer"
	LayerValidation      = "validation"
	LayerRegistry        = "registry"
	LayerStrategy        = "strategy"
	LayerResource        = "resource"
	LayerCacher          = "cacher"
	LayerEtcd3           = "etcd3"
	LayerStorageSetup    = "storage-setup"
	LayerEtcdClient      = "etcd-client"
	LayerEtcdRPC         = "etcd-rpc"
	LayerEtcdApply       = "etcd-apply"
	LayerEtcdMVCC        = "etcd-mvcc"
	LayerEtcdDisk        = "etcd-disk"
	LayerWorkQueue       = "workqueue"
	LayerController      = "controller"
	LayerScheduler       = "scheduler"
	LayerKubelet         = "kubelet"
	LayerClient          = "client"
	LayerUpstreamTracing = "upstream-tracing"
)

// These layers are not in the guide, because their functions differ from recording to
// recording.
const (
	// LayerOwn has the functions of the user's own server; see Recording.Servers.
	LayerOwn = "own"
	// LayerMore has the functions of packages from --trace; see Recording.More.
	LayerMore = "more"
)
