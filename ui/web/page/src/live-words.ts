// The words of the live view.

const en = {
  title: 'Live', servers: 'Servers', start: 'Start a server', release: 'Release', as: 'Clients act as', stop: 'Stop', cancel: 'Cancel', dismiss: 'Dismiss',
  intro: 'A real kube-apiserver with its etcd runs on this machine as long as this page is open.',
  notBuilt: ' (not built: the first start takes minutes)', enough: (n: number) => `${n} servers are running: stop one to start another.`,
  alreadyThere: (release: string) => `There is a server of ${release} already: stop it, or choose another release.`, noReleases: 'No release can be started here.',
  states: { starting: 'starting', ready: 'ready', stopping: 'stopping', failed: 'failed' },
  stages: { resolve: 'resolving', download: 'downloading', tidy: 'reading modules', vendor: 'copying sources', generate: 'generating', rewrite: 'inserting spans', compile: 'compiling', link: 'linking', done: 'done', start: 'starting' } as Record<string, string>,
  served: 'kept running by “apitrace serve”; it goes on when this page is closed', clients: 'To trace a client, such as kubectl, let it use this kubeconfig:', asUser: (u: string) => `(as ${u})`,
  copy: 'Copy', copied: 'Copied', busy: (s: string) => `is replaying ${s}`,
  replay: 'Replay a scenario', scenario: 'Scenario', run: 'Replay', onServer: 'On', noServer: 'Start a server first.',
  request: 'Send a request', method: 'Method', path: 'Path', asker: 'Send as', example: 'Begin with:', examples: ['read the namespaces', 'create a ConfigMap', 'read what a user may not (403)', 'an invalid object (422)'],
  answer: (bytes: string, type: string) => `The answer: ${bytes} bytes${type ? ', ' + type : ''}`, answerBody: 'Body of the answer', hiddenAnswer: 'The answer is not shown, because it may hold secrets.', noBody: 'The answer has no body.', cut: 'The rest is left out.', notText: 'It is no text.', headers: 'Headers, one “Name: value” on each line', body: 'Body, YAML or JSON', send: 'Send', sending: 'Sending…', replaying: 'Replaying…',
  done: 'Recorded:', openTree: 'Open its tree', wasCancelled: 'Cancelled.',
  upload: 'Open a recording', uploadText: 'A file of “apitrace run --save” or “-o json”, or OTLP JSON. It can also be dropped here.', chooseFile: 'Choose a file…', tooLarge: (n: number) => `The file is too large: at most ${n} MB.`, loading: 'Reading…',
  traces: 'Recordings', none: 'Nothing was recorded yet: send a request, replay a scenario, or let kubectl use the kubeconfig of a server.', what: 'What', status: 'Status', calls: 'Calls', time: 'Time', etcd: 'etcd', from: 'From', save: 'Save', saveTitle: (t: string) => `Save the recording of ${t} as a file`,
  kinds: { replay: 'replay', request: 'request', client: 'client', upload: 'file' }, hungUp: 'hung up', untraced: 'not traced', kept: (n: number) => `The last ${n} are kept until “apitrace web” ends.`,
  lost: 'apitrace does not answer. Is “apitrace web” still running?', newTrace: (t: string) => `Recorded: ${t}`, requests: (n: number) => `${n} requests`,
};

const zh: typeof en = {
  title: '实时', servers: '服务器', start: '启动服务器', release: '版本', as: '客户端身份', stop: '停止', cancel: '取消', dismiss: '移除',
  intro: '只要本页面打开，真实的 kube-apiserver 及其 etcd 就在本机运行。',
  notBuilt: '（尚未构建：首次启动需要几分钟）', enough: (n) => `已有 ${n} 个服务器在运行：先停止一个，才能再启动。`,
  alreadyThere: (release) => `已有 ${release} 的服务器：请先停止它，或选择另一个版本。`, noReleases: '此处没有可启动的版本。',
  states: { starting: '启动中', ready: '就绪', stopping: '停止中', failed: '失败' },
  stages: { resolve: '解析版本', download: '下载', tidy: '读取模块', vendor: '复制源码', generate: '生成代码', rewrite: '插入 span', compile: '编译', link: '链接', done: '完成', start: '启动' },
  served: '由“apitrace serve”保持运行；关闭本页面后它继续运行', clients: '要追踪 kubectl 之类的客户端，让它使用这个 kubeconfig：', asUser: (u) => `（身份为 ${u}）`,
  copy: '复制', copied: '已复制', busy: (s) => `正在重放 ${s}`,
  replay: '重放场景', scenario: '场景', run: '重放', onServer: '服务器', noServer: '请先启动服务器。',
  request: '发送请求', method: '方法', path: '路径', asker: '身份', example: '示例：', examples: ['读取命名空间', '创建 ConfigMap', '读取无权读取的内容（403）', '无效的对象（422）'],
  answer: (bytes, type) => `响应：${bytes} 字节${type ? '，' + type : ''}`, answerBody: '响应体', hiddenAnswer: '没有显示响应，因为其中可能有机密。', noBody: '响应没有响应体。', cut: '其余部分从略。', notText: '它不是文本。', headers: '请求头，每行一个“Name: value”', body: '请求体，YAML 或 JSON', send: '发送', sending: '发送中…', replaying: '重放中…',
  done: '已录制：', openTree: '打开调用树', wasCancelled: '已取消。',
  upload: '打开录制', uploadText: '“apitrace run --save”或“-o json”写出的文件，或 OTLP JSON。也可以把文件拖到此处。', chooseFile: '选择文件…', tooLarge: (n) => `文件太大：最多 ${n} MB。`, loading: '读取中…',
  traces: '录制', none: '还没有录制：发送请求、重放场景，或让 kubectl 使用服务器的 kubeconfig。', what: '内容', status: '状态码', calls: '调用', time: '用时', etcd: 'etcd', from: '来源', save: '保存', saveTitle: (t) => `将 ${t} 的录制保存为文件`,
  kinds: { replay: '重放', request: '请求', client: '客户端', upload: '文件' }, hungUp: '客户端已断开', untraced: '未追踪', kept: (n) => `保留最近 ${n} 份，直到“apitrace web”结束。`,
  lost: 'apitrace 没有回应。“apitrace web”还在运行吗？', newTrace: (t) => `已录制：${t}`, requests: (n) => `${n} 个请求`,
};

export const liveWords = { en, zh };
export type LiveWords = typeof en;
