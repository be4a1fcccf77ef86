// The words of the start page.

const en = {
  name: 'Start', title: 'What the Kubernetes API server does with a request, call by call',
  lead: (n: number, oldest: string, newest: string) => `${n} recorded scenarios, in the releases ${oldest} to ${newest}: the recorded calls of kube-apiserver and etcd, in order, with the source beside them.`,
  leadOne: (n: number, release: string) => `${n} recorded scenarios of ${release}: the recorded calls of kube-apiserver and etcd, in order, with the source beside them.`,
  doors: 'Where to begin',
  read: 'Read a request', readHelp: 'A GET from the filters to etcd and back. First in sentences, then as a tree of calls.',
  compare: 'Compare releases', compareHelp: (scenario: string, from: string, to: string) => `What ${to} does otherwise than ${from} for ${scenario}, and since when.`,
  learn: 'Learn', learnHelp: 'Lessons from the first filter to etcd, to read beside the recordings.', exercises: 'Exercises', exercisesHelp: 'with an answer to find in a recording',
  run: 'Run your own', runHelp: 'Start a kube-apiserver, send it requests, and read them as they arrive.',
  runElsewhere: 'This page has no server. On your own machine:', signs: 'Signs and keys',
  scenarios: 'Scenarios', filter: 'Filter the scenarios', none: (text: string) => `No scenario has “${text}”. The search looks into functions, values and errors, too:`, searchFor: (text: string) => `search for “${text}”`, all: 'Show all scenarios',
  since: (r: string) => `since ${r}`,
};

const zh: typeof en = {
  name: '开始', title: 'Kubernetes API server 如何处理一个请求：逐次调用',
  lead: (n, oldest, newest) => `${n} 个录制的场景，版本从 ${oldest} 到 ${newest}：按次序显示录制到的 kube-apiserver 和 etcd 的调用，旁边就是源码。`,
  leadOne: (n, release) => `${release} 的 ${n} 个录制场景：按次序显示录制到的 kube-apiserver 和 etcd 的调用，旁边就是源码。`,
  doors: '从哪里开始',
  read: '阅读一个请求', readHelp: '一次 GET：从过滤器到 etcd，再返回。先看文字说明，再看调用树。',
  compare: '比较版本', compareHelp: (scenario, from, to) => `对于 ${scenario}，${to} 与 ${from} 有何不同，从何时开始。`,
  learn: '学习', learnHelp: '从第一个过滤器到 etcd 的课文，可与录制对照阅读。', exercises: '练习', exercisesHelp: '在录制中找出答案',
  run: '自己运行', runHelp: '启动 kube-apiserver，向它发送请求，并在请求到达时阅读。',
  runElsewhere: '此页面没有服务器。在你自己的机器上运行：', signs: '符号与按键',
  scenarios: '场景', filter: '筛选场景', none: (text) => `没有场景含有“${text}”。搜索还会查找函数、值和错误：`, searchFor: (text) => `搜索“${text}”`, all: '显示全部场景',
  since: (r) => `自 ${r} 起`,
};

export const startWords = { en, zh };
