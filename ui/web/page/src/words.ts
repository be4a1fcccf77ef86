// The page's own words. The words of traces come from the API, in the requested language.
// A view with many words has them in a separate file, VIEW-words.ts, in both languages.
// en and zh have a property for each of these files.

import * as map from './map-words.ts';
import * as story from './story-words.ts';
import * as player from './player-words.ts';
import * as time from './time-words.ts';
import { compareWords } from './compare-words.ts';
import { functionWords } from './function-words.ts';
import { guideWords } from './guide-words.ts';
import { startWords } from './start-words.ts';

export type Lang = 'en' | 'zh';

const en = {
  ...player.en,
  time: time.en,
  comparison: compareWords.en,
  colon: compareWords.en.colon,
  fullStop: '. ',
  function: functionWords.en,
  guide: guideWords.en,
  start: startWords.en,
  map: map.en,
  story: story.en,
  scenario: 'Scenario', release: 'Release', request: 'Request', view: 'View', steps: 'Key steps', allCalls: 'All calls',
  showUpstream: 'Upstream’s own spans and events', timesHelp: 'The time of a section includes the sections that it calls.',
  traces: 'Traces', live: 'Live', workshop: 'Workshop', pages: 'Pages', menu: 'Menu',
  language: 'Chinese', languageShort: '中文', light: 'Light', dark: 'Dark', system: 'System colours',
  search: 'Search all recordings', searchIn: (n: number): string => (n === 1 ? 'Search this recording' : n === 2 ? 'Search both recordings' : 'Search all recordings'), searchPage: 'Search',
  found: (n: string, t: string) => (n === '1' ? `1 result for “${t}”` : `${n} results for “${t}”`), searchHelp: 'Type a part of a function’s name, of a recorded value or of an error. For example:',
  foundTooMany: (n: string) => `These are the first ${n}: a longer text finds fewer.`,
  foundHere: (scenario: string) => `In the recording ${scenario}`, foundHereAll: (n: string) => `All ${n} functions, among all calls`,
  foundBehind: 'Other functions with this text in their names', foundNone: 'No function that was called has this text in its name, and no recorded value and no error has it.',
  foundNames: 'In the released sources (read, not run)', kindType: 'type',
  wrap: 'Wrap long lines',
  fetchSources: (process: string, release: string) => `Fetch the source of ${process}, ${release}`,
  foundScenarios: 'Scenarios', foundReading: 'Layers, feature gates, and what to read', readingKinds: { layer: 'layer', gate: 'gate', lesson: 'lesson', exercise: 'exercise', document: 'document' },
  methods: 'Methods', methodsEmbedded: 'Methods of the interfaces that it embeds', methodsHelp: (n: number) => `How many of the ${n} recorded scenarios of this release called each.`, noMethods: 'It declares no methods.',
  ranIn: (n: number) => (n === 0 ? 'none' : n === 1 ? '1 scenario' : `${n} scenarios`), typeUse: 'In recordings and releases',
  kinds: { function: 'function', value: 'value', error: 'error' }, scenariosMore: (n: number) => (n === 1 ? 'and 1 more scenario' : `and ${n} more scenarios`),
  colours: 'Colours', tree: 'Calls of the request', calls: (n: string) => `${n} calls`, call: '1 call',
  folded: (n: string) => `${n} folded calls`, showFolded: 'Show the calls that are folded here', hideFolded: 'Hide the folded calls',
  filter: {
    name: 'Filter', text: 'Function, file:line, value or error', layer: 'Layer', anyLayer: 'Any layer', least: 'Least duration', anyTime: 'Any duration', failed: 'Errors', etcd: 'In etcd',
    found: (n: string, all: string) => `${n} of ${all} calls`,
  },
  skip: 'Skip to the content', split: 'Width of the two parts', openAll: 'Open all sections', outline: 'Only the outline', proof: 'Show the call that proves this', inGeneral: (role: string) => `In general: ${role}`,
  open: 'Open', close: 'Close', toSection: (n: number) => `Go to section ${n}`, more: (n: string) => (n === '1' ? 'Show 1 more' : `Show more: ${n} are left`),
  goroutine: 'on a new goroutine', handoff: (queue: string) => `handed over through ${queue}`, again: (n: number) => `${n} calls in a row`, through: (n: string) => `called through ${n} folded calls`,
  source: 'Source', loading: 'Loading…', back: 'Back', calledFrom: 'Called from', firstCall: 'The first call of the request',
  event: 'Not called: takes up the event of the write', eventFrom: 'from', eventMark: 'event',
  upstream: 'upstream', values: 'Values', stack: 'Callers', error: 'Error', panic: 'Panic', took: 'Took', untimed: 'its duration was not recorded', process: 'Process', runsOn: 'Goroutine',
  onPaper: (from: string, to: string, all: string) => `Calls ${from} to ${to} of ${all}: on paper are those that were in sight.`,
  noSource: 'The source is not shown', tryAgain: 'Try again', atUpstream: 'Read it at upstream', noSpan: 'no span',
  noSpanTitle: 'This function has no span, so that no recording tells whether it was called', notExact: 'This recording has no call in exactly that place: the nearest call of the function is selected.',
  lineRan: (n: number, line: number) => `Line ${line}: ${n} recorded calls`, pick: 'Select a call to read its source.',
  noSourceHere: (program: string) => `The machine that wrote this page did not have it (${program})`,
  nothingHere: 'Nothing is at this address', goOn: 'Go on with:', firstRecording: 'The first recording',
  notLoaded: 'The data of this page could not be loaded', fromDisk: 'A browser does not let a page that it opens from the disk read other files. Serve this folder with any web server, or let “apitrace show SCENARIO -o html” write one file that opens from the disk.',
  noAnswer: 'apitrace does not answer', noAnswerAction: 'Is "apitrace web" still running? Start it again, and open the address that it prints.',
  notHere: (what: string) => `This page does not hold ${what}`, notHereAction: 'The page works without a server and holds only what was written into it.',
  licence: (of: string) => `Licence of ${of}`,
  copy: 'Copy link', copied: 'Copied', unfinished: 'still running', callOf: (n: string, all: string) => `Call ${n} of ${all}`, notCalled: (f: string) => `This recording makes no call of ${f}.`,
};

const zh: typeof en = {
  ...player.zh,
  time: time.zh,
  comparison: compareWords.zh,
  colon: compareWords.zh.colon,
  fullStop: '。',
  function: functionWords.zh,
  guide: guideWords.zh,
  start: startWords.zh,
  map: map.zh,
  story: story.zh,
  scenario: '场景', release: '版本', request: '请求', view: '视图', steps: '关键步骤', allCalls: '全部调用',
  showUpstream: '上游自带的 span 和事件', timesHelp: '一节的用时包含它所调用的各节。',
  traces: '追踪', live: '实时', workshop: '工作坊', pages: '页面', menu: '菜单',
  language: 'English', languageShort: 'EN', light: '浅色', dark: '深色', system: '跟随系统',
  search: '搜索全部录制', searchIn: (n) => (n === 1 ? '搜索此录制' : n === 2 ? '搜索这两份录制' : '搜索全部录制'), searchPage: '搜索',
  found: (n, t) => `“${t}”的搜索结果：${n} 个`, searchHelp: '输入函数名、录制的值或错误中的一部分。例如：',
  foundTooMany: (n) => `此处是前 ${n} 个：输入更长的文本可缩小范围。`,
  foundHere: (scenario) => `在录制 ${scenario} 中`, foundHereAll: (n) => `全部 ${n} 个函数（在全部调用中）`,
  foundBehind: '名称中含有该文本的其他函数', foundNone: '被调用的函数的名称、录制的值和错误中都没有这段文本。',
  foundNames: '在各版本的源码中（只读取，未运行）', kindType: '类型',
  wrap: '长行换行',
  fetchSources: (process, release) => `获取 ${process} 的源码（${release}）`,
  foundScenarios: '场景', foundReading: '层、特性门控与可阅读的内容', readingKinds: { layer: '层', gate: '特性门控', lesson: '课文', exercise: '练习', document: '文档' },
  methods: '方法', methodsEmbedded: '所嵌入接口的方法', methodsHelp: (n) => `此版本录制的 ${n} 个场景中，有多少个调用过各方法。`, noMethods: '它没有声明方法。',
  ranIn: (n) => (n === 0 ? '没有' : `${n} 个场景`), typeUse: '在录制和各版本中',
  kinds: { function: '函数', value: '值', error: '错误' }, scenariosMore: (n) => `另有 ${n} 个场景`,
  colours: '颜色', tree: '请求的调用', calls: (n) => `${n} 次调用`, call: '1 次调用',
  folded: (n) => `折叠了 ${n} 次调用`, showFolded: '显示此处折叠的调用', hideFolded: '隐藏折叠的调用',
  filter: {
    name: '筛选', text: '函数、文件:行、值或错误', layer: '层', anyLayer: '任意层', least: '最短用时', anyTime: '任意用时', failed: '出错', etcd: '在 etcd 中',
    found: (n, all) => `${all} 次调用中的 ${n} 次`,
  },
  skip: '跳到内容', split: '左右两部分的宽度', openAll: '展开全部小节', outline: '只看概要', proof: '显示证明这句话的调用', inGeneral: (role) => `一般而言：${role}`,
  open: '展开', close: '收起', toSection: (n) => `转到第 ${n} 节`, more: (n) => `显示更多：还有 ${n} 项`,
  goroutine: '在新的 goroutine 上', handoff: (queue) => `经 ${queue} 移交`, again: (n) => `连续 ${n} 次调用`, through: (n) => `经由 ${n} 次被折叠的调用`,
  source: '源码', loading: '加载中…', back: '返回', calledFrom: '调用处', firstCall: '请求的第一次调用',
  event: '不是被调用的：接收该写入的事件', eventFrom: '来自', eventMark: '事件',
  upstream: '上游', values: '值', stack: '调用者', error: '错误', panic: 'panic', took: '用时', untimed: '未记录耗时', process: '进程', runsOn: 'goroutine',
  onPaper: (from, to, all) => `共 ${all} 次调用，这里是第 ${from} 至 ${to} 次：只打印屏幕上的调用。`,
  noSource: '没有可显示的源码', tryAgain: '重试', atUpstream: '在上游阅读', noSpan: '无 span',
  noSpanTitle: '该函数没有 span，因此录制无法说明它是否被调用', notExact: '此录制在该位置没有这次调用：已选中该函数最接近的一次调用。',
  lineRan: (n, line) => `第 ${line} 行：${n} 次录制的调用`, pick: '选择一次调用以阅读其源码。',
  noSourceHere: (program) => `生成此页面的机器上没有它的源码（${program}）`,
  nothingHere: '此地址没有内容', goOn: '可以转到：', firstRecording: '第一份录制',
  notLoaded: '无法加载此页面的数据', fromDisk: '浏览器不允许从磁盘打开的页面读取其他文件。请用任意 Web 服务器提供此文件夹，或用“apitrace show SCENARIO -o html”写出一个可从磁盘打开的文件。',
  noAnswer: 'apitrace 没有回应', noAnswerAction: '“apitrace web”还在运行吗？请重新启动它，并打开它打印的地址。',
  notHere: (what) => `此页面不含 ${what}`, notHereAction: '它不需要服务器，只包含写入其中的内容。',
  licence: (of) => `${of} 的许可证`,
  copy: '复制链接', copied: '已复制', unfinished: '仍在运行', callOf: (n, all) => `第 ${n} 次调用，共 ${all} 次`, notCalled: (f) => `此录制没有调用 ${f}。`,
};

export type Words = typeof en;
export const words: Record<Lang, Words> = { en, zh };

// pageWords returns the words in the page's current language, for code outside
// components.
export const pageWords = () => words[document.documentElement.lang as Lang] ?? words.en;

export const thousands = (n: number) => n.toLocaleString('en-US');
