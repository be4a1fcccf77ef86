// The words about feature gates.

const en = {
  name: 'Feature gate', asks: (release: string) => `Asked for in ${release} by`, decides: (release: string) => `Calls that depend on it in ${release}`, none: (release: string) => `No function of the traced packages of ${release} asks for it.`,
  lacks: (release: string) => `Kubernetes ${release} has no such gate.`, lines: (lines: string) => `in line ${lines}`, calls: (names: string) => `calls ${names}`, notCalled: 'No recorded scenario calls it.', defaults: 'Default', to: 'to',
  note: 'The index of the sources has the traced packages only. The recordings show which functions ran, not whether they came to the line that asks.',
  ofFunction: 'Feature gates that it asks for', ofRequest: 'Feature gates that its functions ask for', noneHere: 'None of its functions asks for a feature gate.', filter: 'Gate, function, “on” or “off”', noGate: (text: string) => `No gate has “${text}”.`, by: 'asked for by',
  on: (release: string) => `on by default in ${release}`, off: (release: string) => `off by default in ${release}`,
};

const zh: typeof en = {
  name: '特性门控', asks: (release) => `在 ${release} 中由以下函数询问`, decides: (release) => `在 ${release} 中取决于它的调用`, none: (release) => `${release} 中被追踪的包里没有函数询问它。`,
  lacks: (release) => `Kubernetes ${release} 没有这个门控。`, lines: (lines) => `第 ${lines} 行`, calls: (names) => `调用 ${names}`, notCalled: '没有录制的场景调用它。', defaults: '默认值', to: '到',
  note: '源码索引只有被追踪的包。录制说明哪些函数运行过，但不说明是否运行到询问它的那一行。',
  ofFunction: '它询问的特性门控', ofRequest: '其函数询问的特性门控', noneHere: '其函数都不询问特性门控。', filter: '门控、函数、“开启”或“关闭”', noGate: (text) => `没有含“${text}”的门控。`, by: '询问者：',
  on: (release) => `在 ${release} 中默认开启`, off: (release) => `在 ${release} 中默认关闭`,
};

export const gateWords = { en, zh };
