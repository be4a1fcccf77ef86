// The words of the comparison and of the history of a scenario.

const en = {
  name: 'Compare', matrix: 'Releases', releases: 'Two releases', scenarios: 'Two scenarios', kind: 'What is compared', from: 'Side A', to: 'Side B',
  swap: 'Swap the sides', merged: 'One tree', sides: 'Side by side', layout: 'Layout', telling: 'Key steps', all: 'All changes', which: 'Which changes',
  oneLayer: (title: string) => `Only the changes in: ${title}`, everyLayer: 'Changes in all layers', smaller: 'Smaller changes',
  unchanged: 'No difference recorded', same: 'Both took the same path.', summary: 'What changed', tree: 'The calls of both sides, with marks', next: 'Next change', previous: 'Change before',
  widened: 'The key steps do not show this call. So all changes are shown now.', narrowed: (layer: string) => `All changes are too many to draw. So all changes of the layer ${layer} are shown now.`,
  hidden: (n: string, all: string) => `${n} of ${all} changes are not in this view.`,
  tooMany: (n: string) => `${n} changes are too many to draw. Choose a layer with fewer changes.`,
  wasCalledBy: (name: string) => `was called by ${name}`, movedAway: (name: string) => `${name} is elsewhere now: go there`,
  added: (side: string) => `Only ${side} makes this call.`, pick: 'Select a sentence or a step to see what changed in the source.',
  first: 'Go to the first change', movedCode: (n: string) => (n === '1' ? '1 sentence on code that moved or has another name' : `${n} sentences on code that moved or has another name`), recordedOtherwise: (n: string) => (n === '1' ? '1 sentence on what apitrace records in one release alone' : `${n} sentences on what apitrace records in one release alone`),
  openIn: (side: string) => `Open in ${side}`, value: 'Value', inSource: 'The source on both sides', sameText: 'The function has the same text on both sides.',
  callIsHere: 'The call is made here',
  ofCaller: (name: string) => `Only one side makes this call. This is the text of ${name}, the nearest caller that both have; the call is made in the marked hunk.`,
  ofCallerNoHunk: (name: string) => `Only one side makes this call. This is the text of ${name}, the nearest caller that both have.`,
  ofCallerBelow: (name: string) => `Only one side makes this call. This is the text of ${name}, the nearest caller that both have; the call is made below the marked line, in a function that is called from there.`,
  ofCallerMissing: (name: string) => `Only one side makes this call. The nearest caller that both have is ${name}.`,
  newText: 'The text of the function itself',
  line: (n: number) => `the call is made in line ${n}`, sourceMissing: 'The source is not compared', upstreamCompare: 'The file at upstream, compared', lineOf: (side: string) => `Line of ${side}`,
  place: 'In the tree: ', notThere: 'This comparison does not show that place: the nearest one is selected.', gone: (f: string) => `This comparison shows no call of ${f}.`,
  historyOf: 'A scenario through the releases', release: 'Release', calls: 'Calls', came: 'Came', went: 'Went', others: 'Other changes', firstRelease: 'the first recorded release',
  notRecorded: 'not recorded', sentences: 'In sentences', compareWith: (a: string, b: string) => `Compare ${a} with ${b}`, allScenarios: 'All scenarios', noChange: 'the same path',
  overview: 'Every scenario through the releases', overviewHelp: 'Each cell has the number of calls, and the key steps that came and went since the release before. Select a cell to compare the two releases; the first one leads to its recording.', older: 'The newest release is at the left; scroll to the right for the older ones.', openRecording: (scenario: string, release: string) => `Open the recording of ${scenario}, ${release}`,
  colon: ': ', comma: ', ', signs: { '+': 'added', '-': 'removed', '~': 'renamed', '>': 'another caller', '#': 'called more or less often', '^': 'reordered', '=': 'other values', '%': 'timing only', '◌+': 'recorded by apitrace from this release on', '◌-': 'no longer recorded by apitrace' } as Record<string, string>,
  bracketed: 'both releases have the code, and only one ran it', brackets: '( )',
  insteadOf: (name: string) => `takes the place of ${name}`, replacedBy: (name: string) => `${name} takes its place`, toCaller: 'Go to the place of the call',
  below: (n: string) => (n === '1' ? 'through 1 folded call' : `through ${n} folded calls`),
  noCaller: 'No caller of this call is on both sides',
  load: 'Compare now', scenario: 'Scenario', loadingRow: 'comparing…', compared: (n: number, of: number) => `${n} of ${of} scenarios compared…`, change: (n: string) => (n === '1' ? '1 other change' : `${n} other changes`),
};

const zh: typeof en = {
  name: '比较', matrix: '版本', releases: '两个版本', scenarios: '两个场景', kind: '比较的对象', from: 'A 侧', to: 'B 侧',
  swap: '交换两侧', merged: '合并为一棵树', sides: '并排', layout: '布局', telling: '关键步骤', all: '全部变化', which: '显示哪些变化',
  oneLayer: (title) => `只看这一层的变化：${title}`, everyLayer: '所有层的变化', smaller: '较小的变化',
  unchanged: '没有记录到差别', same: '两侧路径相同。', summary: '有哪些变化', tree: '两侧的调用及其标记', next: '下一处变化', previous: '上一处变化',
  widened: '“关键步骤”没有显示这次调用，因此现在显示全部变化。', narrowed: (layer) => `全部变化过多，无法画出，因此现在显示“${layer}”层的全部变化。`,
  hidden: (n, all) => `共 ${all} 处变化，其中 ${n} 处不在此视图中。`,
  tooMany: (n) => `有 ${n} 处变化，太多，无法画出。请选择变化较少的一层。`,
  wasCalledBy: (name) => `原来由 ${name} 调用`, movedAway: (name) => `${name} 已移到别处：转到那里`,
  added: (side) => `只有 ${side} 有这次调用。`, pick: '选择一句说明或一个步骤，查看源码的变化。',
  first: '转到第一处变化', movedCode: (n) => `${n} 句：移动或改名的代码`, recordedOtherwise: (n) => `${n} 句：apitrace 只在其中一个版本记录的内容`,
  openIn: (side) => `在 ${side} 中打开`, value: '值', inSource: '两侧的源码', sameText: '该函数在两侧的文本相同。',
  callIsHere: '调用在这里发出',
  ofCaller: (name) => `只有一侧有这次调用。这里是 ${name} 的文本，即两侧都有的最近调用者；调用位于标出的片段中。`,
  ofCallerNoHunk: (name) => `只有一侧有这次调用。这里是 ${name} 的文本，即两侧都有的最近调用者。`,
  ofCallerBelow: (name) => `只有一侧有这次调用。这里是 ${name} 的文本，即两侧都有的最近调用者；调用不在标出的那一行，而在它所调用的函数中。`,
  ofCallerMissing: (name) => `只有一侧有这次调用。两侧都有的最近调用者是 ${name}。`,
  newText: '该函数自身的文本',
  line: (n) => `调用位于第 ${n} 行`, sourceMissing: '没有比较源码', upstreamCompare: '在上游比较该文件', lineOf: (side) => `${side} 的行号`,
  place: '在树中：', notThere: '此比较没有显示那个位置：已选中最接近的位置。', gone: (f) => `此比较没有显示 ${f} 的调用。`,
  historyOf: '一个场景在各版本中的变化', release: '版本', calls: '调用', came: '新增', went: '去掉', others: '其他变化', firstRelease: '第一个录制的版本',
  notRecorded: '没有录制', sentences: '文字说明', compareWith: (a, b) => `比较 ${a} 与 ${b}`, allScenarios: '全部场景', noChange: '路径相同',
  overview: '每个场景在各版本中的变化', overviewHelp: '每个单元格是调用次数，以及自上一个版本以来路径上新增和去掉的关键步骤。选择单元格可比较这两个版本；选择第一个版本的单元格则打开它的录制。', older: '最新的版本在最左边，更早的版本向右滚动可见。', openRecording: (scenario, release) => `打开 ${scenario} 在 ${release} 的录制`,
  colon: '：', comma: '、', signs: { '+': '新增', '-': '移除', '~': '改名', '>': '调用方不同', '#': '次数不同', '^': '次序不同', '=': '值不同', '%': '仅用时不同', '◌+': '从此版本起由 apitrace 记录', '◌-': '不再由 apitrace 记录' },
  bracketed: '两个版本都有这段代码，只有一个版本运行了它', brackets: '（）',
  insteadOf: (name) => `取代 ${name}`, replacedBy: (name) => `被 ${name} 取代`, toCaller: '转到发出调用的位置',
  below: (n) => `经由 ${n} 次被折叠的调用`,
  noCaller: '这次调用的调用者都不是两侧共有的',
  load: '现在比较', scenario: '场景', loadingRow: '比较中…', compared: (n, of) => `已比较 ${of} 个场景中的 ${n} 个…`, change: (n) => `另有 ${n} 处变化`,
};

export const compareWords = { en, zh };

// The sign of a change is in brackets if both sources have the call. bare removes the
// brackets. shown returns the sign as it is drawn.
export const bare = (sign: string) => sign.replace(/[()]/g, '');
export const shown = (sign: string) => sign.replace('-', '−');

// signOf returns attributes that say what a sign means, for readers who cannot see it
// or do not know it.
export function signOf(sign: string, lang: 'en' | 'zh') {
  const words = compareWords[lang], says = words.signs[bare(sign)];
  if (!says) return {};
  const label = sign === bare(sign) ? says : says + words.comma + words.bracketed;
  return { role: 'img' as const, 'aria-label': label, title: label };
}
