package lessons

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubeapitrace/apitrace/instrument"
	"github.com/kubeapitrace/apitrace/internal/funcname"
	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/internal/text"
	"github.com/kubeapitrace/apitrace/trace/recordings"
)

// A mappedFolder is a folder of the map. A function belongs to the folder with the longest
// path that contains the function's file.
type mappedFolder struct {
	path string // below the module's prefix
	role message.Text
}

// mappedModules are the parts of the map. prefix is the beginning of the files' paths in
// recordings. shown is the heading in the map: the beginning of the paths in the
// repository.
var mappedModules = []struct {
	prefix, shown string
	folders       []mappedFolder
}{
	{"k8s.io/kubernetes/", "kubernetes/", []mappedFolder{
		{"cmd/kube-apiserver", message.Text{En: "the program: its flags, and the chain of the three servers", Zh: "程序本身：参数，以及三个服务器组成的链"}},
		{"pkg/controlplane", message.Text{En: "the server kube-apiserver: its groups and its own controllers", Zh: "kube-apiserver 这个服务器：提供哪些组，以及它自己的控制器"}},
		{"pkg/kubeapiserver", message.Text{En: "makes authentication, authorization, admission and storage from the flags", Zh: "按参数建立认证、鉴权、准入和存储"}},
		{"pkg/apis", message.Text{En: "each group: internal types; conversion and defaults of each version; validation", Zh: "每个组：内部类型，各版本的转换与默认值，校验"}},
		{"pkg/registry", message.Text{En: "each resource: its storage, its strategy, its subresources", Zh: "每种资源：它的存储、策略和子资源"}},
		{"plugin/pkg/admission", message.Text{En: "the admission plugins of Kubernetes", Zh: "Kubernetes 的准入插件"}},
		{"plugin/pkg/auth", message.Text{En: "the RBAC authorizer, and the roles that it starts with", Zh: "RBAC 鉴权器，以及它最初的角色"}},
		{"pkg/certauthorization", message.Text{En: "who may approve and sign certificates of which signer", Zh: "谁可以批准和签发哪个签发者的证书"}},
		{"pkg/serviceaccount", message.Text{En: "the tokens of service accounts: their keys, claims and validation", Zh: "ServiceAccount 的 token：密钥、声明和校验"}},
		{"pkg/quota", message.Text{En: "how much of a quota an object uses", Zh: "一个对象占用多少配额"}},
		{"pkg/controller", message.Text{En: "the controllers of kube-controller-manager: deployments, replicasets, garbage collection and so on", Zh: "kube-controller-manager 的各个控制器：deployment、replicaset、垃圾回收等"}},
		{"cmd/kube-controller-manager", message.Text{En: "the program kube-controller-manager", Zh: "程序 kube-controller-manager"}},
		{"pkg/scheduler", message.Text{En: "kube-scheduler: its queue, its cycles, its cache of nodes", Zh: "kube-scheduler：队列、调度周期、节点的缓存"}},
		{"pkg/scheduler/framework", message.Text{En: "the plugins of the scheduler, and what calls them", Zh: "调度器的插件，以及调用它们的框架"}},
		{"pkg/kubelet", message.Text{En: "the kubelet: its sync loop, pod workers, statuses and volumes", Zh: "kubelet：同步循环、Pod worker、status 和卷"}},
		{"pkg/kubelet/kuberuntime", message.Text{En: "sandboxes and containers, over the container runtime", Zh: "经由容器运行时的沙箱和容器"}},
		{"pkg/volume", message.Text{En: "the kinds of volumes, and their mounting", Zh: "各种卷及其挂载"}},
		{"pkg/printers", message.Text{En: "the columns of kubectl get", Zh: "kubectl get 的各列"}},
	}},
	{"k8s.io/", "kubernetes/staging/src/k8s.io/", []mappedFolder{
		{"apimachinery/pkg/runtime", message.Text{En: "the scheme, conversion, and the codecs for JSON, protobuf and CBOR", Zh: "scheme、转换，以及 JSON、protobuf 和 CBOR 的编解码器"}},
		{"apimachinery/pkg/api/errors", message.Text{En: "makes errors that become a Status: not found, conflict, invalid", Zh: "构造会变成 Status 的错误：未找到、冲突、无效"}},
		{"apimachinery/pkg/util", message.Text{En: "the owner of each field (managedfields), strategic merge patches, the proxy to other servers", Zh: "哪个字段归谁所有（managedfields），strategic merge patch，通向其他服务器的代理"}},
		{"apiserver/pkg/server", message.Text{En: "the generic server: its config, its start, its groups, its two routers", Zh: "通用服务器：配置、启动、API 组，以及两个路由器"}},
		{"apiserver/pkg/server/options", message.Text{En: "the flags that every API server has", Zh: "每个 API 服务器都有的参数"}},
		{"apiserver/pkg/server/filters", message.Text{En: "filters: priority and fairness, timeout, panic, CORS", Zh: "过滤器：优先级与公平性、超时、panic、CORS"}},
		{"apiserver/pkg/server/storage", message.Text{En: "the version and the place in which each resource is stored", Zh: "每种资源以哪个版本、存放在哪里"}},
		{"apiserver/pkg/endpoints", message.Text{En: "the installer, which makes routes from storages; discovery; metrics", Zh: "安装器，把存储变成路由；发现；指标"}},
		{"apiserver/pkg/endpoints/filters", message.Text{En: "filters: request info, authentication, impersonation, audit, authorization", Zh: "过滤器：请求信息、认证、扮演、审计、鉴权"}},
		{"apiserver/pkg/endpoints/handlers", message.Text{En: "the handlers of the verbs, content negotiation, the response", Zh: "各种动词的处理器、内容协商、回答"}},
		{"apiserver/pkg/endpoints/request", message.Text{En: "the meaning of the path, and the values in the request's context", Zh: "路径的含义；请求在 context 中带着什么"}},
		{"apiserver/pkg/authentication", message.Text{En: "the authenticators", Zh: "各种认证器"}},
		{"apiserver/pkg/authorization", message.Text{En: "the interface of authorizers, and their union", Zh: "鉴权器的接口，以及把它们合起来的 union"}},
		{"apiserver/pkg/audit", message.Text{En: "audit events", Zh: "审计事件"}},
		{"apiserver/pkg/admission", message.Text{En: "the chain of admission plugins; webhooks, policies, quota", Zh: "准入插件链；webhook、策略、配额"}},
		{"apiserver/pkg/cel", message.Text{En: "the additions of Kubernetes to CEL: environments, library, types", Zh: "Kubernetes 为 CEL 增加的部分：环境、函数库、类型"}},
		{"apiserver/pkg/registry", message.Text{En: "the generic store of every resource, and the interfaces of strategies", Zh: "所有资源共用的通用 store，以及策略的接口"}},
		{"apiserver/pkg/storage", message.Text{En: "the interface of storages, and its helpers", Zh: "存储的接口及其辅助函数"}},
		{"apiserver/pkg/storage/cacher", message.Text{En: "the watch cache", Zh: "监听缓存"}},
		{"apiserver/pkg/storage/etcd3", message.Text{En: "reads, writes and watches in etcd", Zh: "在 etcd 中读、写和监听"}},
		{"apiserver/pkg/storage/storagebackend", message.Text{En: "makes the storage of a resource: etcd client, codec, transformer", Zh: "为资源建立存储：etcd 客户端、编解码器、转换器"}},
		{"apiserver/pkg/storage/value", message.Text{En: "encryption at rest", Zh: "静态加密"}},
		{"apiserver/pkg/util", message.Text{En: "flow control: priority levels and fair queues; the clients of webhooks", Zh: "流量控制：优先级和公平队列；webhook 的客户端"}},
		{"apiserver/pkg/quota", message.Text{En: "counts objects for quotas", Zh: "为配额清点对象"}},
		{"apiserver/pkg/warning", message.Text{En: "the warnings of an answer", Zh: "回答中的警告"}},
		{"apiserver/plugin", message.Text{En: "authentication and authorization by another server; the backends of audit", Zh: "由另一个服务器认证和鉴权；审计的后端"}},
		{"kube-aggregator", message.Text{En: "the outermost server: APIServices, and the proxy to other API servers", Zh: "最外层的服务器：APIService，以及通向其他 API 服务器的代理"}},
		{"apiextensions-apiserver", message.Text{En: "the innermost server: definitions of custom resources, and the resources themselves", Zh: "最里层的服务器：自定义资源的定义，以及自定义资源本身"}},
		{"sample-apiserver", message.Text{En: "the example of an aggregated server", Zh: "聚合服务器的示例"}},
		{"pod-security-admission", message.Text{En: "the levels of pod security, and their checks", Zh: "Pod 安全的级别及其检查"}},
		{"client-go/tools/cache", message.Text{En: "informers, and the caches from which plugins and authorizers read", Zh: "informer，以及插件和鉴权器从中读取的缓存"}},
		{"client-go/util/workqueue", message.Text{En: "the queues of work of the controllers", Zh: "控制器的工作队列"}},
		{"client-go/rest", message.Text{En: "requests to kube-apiserver", Zh: "发往 kube-apiserver 的请求"}},
		{"client-go/gentype", message.Text{En: "what all typed clients do", Zh: "所有类型化客户端的共同部分"}},
		{"client-go/tools", message.Text{En: "Events, which tell people what was done", Zh: "告诉人们做了什么的 Event"}},
		{"controller-manager", message.Text{En: "clients with the token of a controller's service account", Zh: "带有控制器服务账号 token 的客户端"}},
		{"endpointslice", message.Text{En: "the controller of EndpointSlices", Zh: "EndpointSlice 的控制器"}},
		{"component-helpers", message.Text{En: "how a pod and a node fit", Zh: "Pod 与节点是否相配"}},
		{"cri-client", message.Text{En: "the client of the container runtime", Zh: "容器运行时的客户端"}},
		{"cri-api", message.Text{En: "upstream's fake container runtime", Zh: "上游的假容器运行时"}},
		{"component-base/tracing", message.Text{En: "upstream's own spans", Zh: "上游自己的 span"}},
	}},
	{"", "other modules", []mappedFolder{
		{"k8s.io/utils/trace", message.Text{En: "logs the steps of slow requests", Zh: "记录慢请求的各个步骤"}},
		{"github.com/emicklei/go-restful/v3", message.Text{En: "the router", Zh: "路由器"}},
		{"github.com/google/cel-go", message.Text{En: "evaluates CEL expressions", Zh: "对 CEL 表达式求值"}},
		{"sigs.k8s.io/structured-merge-diff", message.Text{En: "merges the fields that several managers apply", Zh: "合并多个管理者各自 apply 的内容"}},
		{"gopkg.in/evanphx/json-patch.v4", message.Text{En: "JSON patches and JSON merge patches", Zh: "JSON patch 和 JSON merge patch"}},
		{"go.etcd.io/etcd/client", message.Text{En: "the client of etcd, in kube-apiserver", Zh: "etcd 的客户端，在 kube-apiserver 之中"}},
		{"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc", message.Text{En: "etcd: its gRPC server", Zh: "etcd：gRPC 服务"}},
		{"go.etcd.io/etcd/server/v3/etcdserver", message.Text{En: "etcd: consensus by raft, and the application of entries", Zh: "etcd：用 raft 达成共识，应用日志条目"}},
		{"go.etcd.io/etcd/server/v3/storage/mvcc", message.Text{En: "etcd: the store of revisions, its key index, its watches", Zh: "etcd：按修订号存储，键索引，监听"}},
		{"go.etcd.io/etcd/server/v3/storage", message.Text{En: "etcd: the write-ahead log, and the database with its buffer", Zh: "etcd：预写日志，以及数据库和它前面的缓冲"}},
		{"go.etcd.io/etcd/client/pkg/v3/fileutil", message.Text{En: "etcd: waits until the disk has written the data", Zh: "etcd：等待磁盘写完"}},
		{"go.etcd.io/raft/v3", message.Text{En: "raft: proposals become entries of its log", Zh: "raft：提案变成日志条目"}},
		{"go.etcd.io/bbolt", message.Text{En: "the database file: a B+ tree with transactions", Zh: "数据库文件：带事务的 B+ 树"}},
	}},
}

// A mapped is a folder with its recorded functions.
type mapped struct {
	mappedFolder
	functions []recordings.Function
}

// mapFolders puts each recorded function into its folder. It returns the functions without
// a folder as lost.
func mapFolders(functions []recordings.Function) (modules [][]mapped, lost []recordings.Function) {
	modules = make([][]mapped, len(mappedModules))
	for i, m := range mappedModules {
		for _, f := range m.folders {
			modules[i] = append(modules[i], mapped{mappedFolder: f})
		}
	}
	for _, f := range functions {
		var in *mapped
		longest := 0
		for i, m := range mappedModules {
			for j := range modules[i] {
				if path := m.prefix + modules[i][j].path + "/"; strings.HasPrefix(f.File, path) && len(path) > longest {
					in, longest = &modules[i][j], len(path)
				}
			}
		}
		if in == nil {
			lost = append(lost, f)
			continue
		}
		in.functions = append(in.functions, f)
	}
	return modules, lost
}

// codeMap draws the folders. For each folder, it shows the number of recorded functions in
// a release, their layers, and key steps.
func codeMap(t *testing.T, release, lang string) string {
	t.Helper()
	functions, err := recordings.Functions(release)
	if err != nil {
		t.Fatal(err)
	}
	guide, err := instrument.Load()
	if err != nil {
		t.Fatal(err)
	}
	said := guide.ForReader(lang)
	modules, lost := mapFolders(functions)
	for _, f := range lost {
		if f.File != "" && !strings.HasPrefix(f.File, "runtime/") {
			t.Errorf("%s in %s is in no folder of the map", f.Name, f.File)
		}
	}
	var out strings.Builder
	for i, m := range mappedModules {
		shown := m.shown
		if m.prefix == "" && lang == "zh" {
			shown = "其他模块"
		}
		fmt.Fprintln(&out, shown)
		for j, f := range modules[i] {
			if len(f.functions) == 0 {
				t.Errorf("no recorded function is in %s%s", m.prefix, f.path)
			}
			branch, below := "├─ ", "│     "
			if j == len(modules[i])-1 {
				branch, below = "└─ ", "      "
			}
			fmt.Fprintf(&out, "%s%s · %d\n", branch, f.path, len(f.functions))
			for _, line := range []string{f.role.In(lang), layersOf(f, said, lang), keySteps(f, said, lang)} {
				for _, part := range text.Wrap(line, 84-len("      ")) {
					fmt.Fprintln(&out, below+part)
				}
			}
		}
	}
	return out.String()
}

// layersOf names the layers with at least a fifth of the folder's functions, the largest
// layer first.
func layersOf(f mapped, said *instrument.ReaderGuide, lang string) string {
	counts := map[string]int{}
	var names []string
	for _, function := range f.functions {
		layer := said.Layer(function.Name)
		if counts[layer]++; counts[layer] == 1 {
			names = append(names, layer)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	var titles []string
	for _, name := range names {
		if title := said.Title(name); title != "" && counts[name]*5 >= len(f.functions) {
			titles = append(titles, title)
		}
	}
	return message.Text{En: "layers: ", Zh: "层："}.In(lang) + strings.Join(titles, message.Text{En: "; ", Zh: "；"}.In(lang))
}

// keySteps names up to three key steps in the folder, from different packages if possible.
// It prefers steps that occur in many scenarios. If there is no key step, it names other
// functions.
func keySteps(f mapped, said *instrument.ReaderGuide, lang string) string {
	const most = 3
	label := message.Text{En: "key steps: ", Zh: "关键步骤："}
	var steps []recordings.Function
	for _, function := range f.functions {
		if said.Key(function.Name) {
			steps = append(steps, function)
		}
	}
	if len(steps) == 0 {
		label, steps = message.Text{En: "such as ", Zh: "例如 "}, slices.Clone(f.functions)
	}
	slices.SortStableFunc(steps, func(a, b recordings.Function) int {
		return cmp.Or(len(b.Scenarios)-len(a.Scenarios), cmp.Compare(a.File, b.File), a.Line-b.Line)
	})
	var names, packages []string
	for _, others := range []bool{false, true} {
		for _, step := range steps {
			name, folder := funcname.Short(step.Name), step.File[:strings.LastIndexByte(step.File, '/')]
			if len(names) < most && !slices.Contains(names, name) && (others || !slices.Contains(packages, folder)) {
				names, packages = append(names, name), append(packages, folder)
			}
		}
	}
	return label.In(lang) + strings.Join(names, ", ")
}
