// The words of the page of a function.

const en = {
  all: 'All about this function', none: 'Name a function in the address, or search for one.', help: (layer: string) => (layer ? `Layer: ${layer}` : 'In no layer of the guide'),
  notKey: 'The guide does not describe it.', callers: 'Called by', reached: 'Reached from', callees: 'Calls', leads: 'Leads to', values: 'Recorded values', errors: 'Errors that it returned',
  uses: (n: number, all: number) => `In ${n} of ${all} recorded scenarios`, releases: 'Through the releases', entry: 'No recorded function calls it: a request or the start of the program begins here, or code of Go’s standard library calls it.',
  notCalled: (release: string) => `No recording of ${release} calls it.`, noSpan: (why: string) => `It has no span, so recordings do not show whether it was called: ${why}.`,
  times: (n: string) => (n === '1' ? 'called once' : `called ${n} times`), moreValues: (n: number) => `and ${n} more`, noLine: 'line not known', sameName: (n: number, name: string) => `${n} functions named ${name}`, allOf: (n: string) => `All ${n}`,
  of: (n: number, all: number) => `${n} of ${all}`, here: 'shown here', sign: 'State', scenarios: 'Scenarios', place: 'Place', before: (name: string) => `as ${name}`,
  everyRelease: (release: string) => `in the source of every release here, from ${release} on`,
  since: (first: string, last: string, name: boolean, oldest: boolean) => `${name ? 'under this name' : 'in the source'} ${!last ? `since ${first}` : first === last ? `in ${first}` : `from ${first}${oldest ? ', the oldest here,' : ''} to ${last}`}`,
  until: (last: string, name: string, first: string, oldest: boolean) => `until ${last}, ${name} was in its place${first && `, in the source since ${first}${oldest ? ', the oldest here' : ''}`}`,
  after: (release: string, name: string) => `since ${release}, ${name} is in its place`, other: (release: string, state: string) => `${release}: ${state}`, brackets: (all: string) => ` (${all})`, apart: '; ',
  calledSince: (release: string, all: boolean) => all ? 'called in a recorded scenario of every release here' : `called in a recorded scenario since ${release}`,
  still: (scenario: string, release: string) => `This page has no server. Callers, callees, values and counts are those of ${scenario}, ${release}, alone; the releases are those in this page. apitrace web shows all.`,
  filter: 'Filter the scenarios and requests', noUse: (text: string) => `None has “${text}”.`,
  called: 'called', unknown: 'not called in the recordings in this page',
};

const zh: typeof en = {
  all: '关于该函数', none: '请在地址中给出函数名，或者搜索函数。', help: (layer) => (layer ? `层：${layer}` : '不属于指南中的任何层'),
  notKey: '指南没有说明它。', callers: '调用者', reached: '间接来自', callees: '调用', leads: '间接到达', values: '记录的值', errors: '返回过的错误',
  uses: (n, all) => `在 ${all} 个录制的场景中的 ${n} 个`, releases: '在各版本中', entry: '没有录制到的函数调用它：请求或程序的启动从这里开始，或者由 Go 标准库的代码调用。',
  notCalled: (release) => `${release} 的录制都没有调用它。`, noSpan: (why) => `它没有 span，因此录制无法说明它是否被调用：${why}。`,
  times: (n) => `调用 ${n} 次`, moreValues: (n) => `还有 ${n} 个`, noLine: '行号未知', sameName: (n, name) => `${n} 个名为 ${name} 的函数`, allOf: (n) => `全部 ${n} 个`,
  of: (n, all) => `${n} / ${all}`, here: '此处显示', sign: '状态', scenarios: '场景', place: '位置', before: (name) => `当时名为 ${name}`,
  everyRelease: (release) => `从 ${release} 起，此处每个版本的源码都有`,
  since: (first, last, name, oldest) => `${name ? '以此名' : ''}${!last ? `自 ${first} 起` : first === last ? `仅在 ${first} 的源码中` : `从 ${first}${oldest ? '（此处最早的版本）' : ''}到 ${last}`}${last && first === last ? '' : '在源码中'}`,
  until: (last, name, first, oldest) => `到 ${last} 为止由 ${name} 占此位置${first && `，它自 ${first}${oldest ? '（此处最早的版本）' : ''}起在源码中`}`,
  after: (release, name) => `自 ${release} 起由 ${name} 占此位置`, other: (release, state) => `${release}：${state}`, brackets: (all) => `（${all}）`, apart: '；',
  calledSince: (release, all) => all ? '此处每个版本都有录制的场景调用它' : `自 ${release} 起有录制的场景调用它`,
  still: (scenario, release) => `此页面没有服务器：调用者、被调用者、值和次数只来自 ${scenario}（${release}）的录制，版本也只有页面中的那些。apitrace web 可显示全部。`,
  filter: '筛选场景与请求', noUse: (text) => `没有含“${text}”的请求。`,
  called: '被调用', unknown: '页面中的录制没有调用它',
};

export const functionWords = { en, zh };
