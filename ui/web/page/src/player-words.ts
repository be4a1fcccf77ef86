// The words of the step player and of the table of keys.

import { StepName } from './stepping.ts';

const steps: Record<StepName, string> = { into: 'Into', over: 'Over', line: 'Line', out: 'Out', key: 'Key step', story: 'Story line' };

export const en = {
  player: {
    toggle: 'Step through', player: 'Step player', forward: 'Forward', back: 'Backward', play: 'Play', stop: 'Stop', close: 'Close', finer: 'More',
    step: steps, title: (step: string, back: boolean) => `${step}, ${back ? 'backward' : 'forward'}`,
    pace: 'Pace', slower: 'Slower', faster: 'Faster', perSecond: (n: number) => `${n}/s`, by: 'Play by',
    playBy: { key: 'key step by key step', into: 'call by call', over: 'over calls', story: 'line by line of the story', line: '', out: '' } as Record<StepName, string>,
    number: (n: string, of: string) => `Step ${n} of ${of}`, progress: 'Position in the request', layers: 'Layers of the request',
    entered: (f: string) => `At the beginning of ${f}.`,
    calling: (f: string, to: string, line: number) => `In ${f}${line ? `, line ${line}` : ''}: about to call ${to}.`,
    event: (f: string, to: string) => `Next, ${to} takes up the event of the write. ${f} does not call it.`,
    noMore: (back: boolean): string => back ? 'The request begins here.' : 'Nothing comes after this position.', noMoreKeys: (back: boolean): string => back ? 'No key step comes before this position.' : 'No key step comes after this position.',
    noMoreLines: (back: boolean): string => back ? 'No line of the story comes before this position.' : 'No line of the story comes after this position.',
    returning: (f: string) => `${f} is about to return. From which line is not recorded.`,
    returned: (f: string, time: string) => (time ? `${f} returned after ${time}.` : `${f} returned.`),
  },
  keys: {
    signs: 'Signs', changes: 'Signs of a comparison', signTable: [
      ['⋯15', '15 calls are folded here: a click shows them'], ['▸ 5', 'leads to section 5'], ['×2', 'two calls in a row'], ['>3.27s', 'the call was still running'],
      ['└┄', 'called through folded calls'], ['go', 'on a new goroutine'], ['✗', 'the call returned an error'], ['●', 'in the source: the line made a recorded call'],
    ],
    title: 'Signs and keys', stepping: 'Step, as in a debugger', tree: 'In a tree', everywhere: 'Everywhere', views: 'Show a view of the request (5: the story)', scenario: 'Go to the choice of the scenario', done: 'Close',
    steps: { into: 'into', over: 'over', line: 'over, to the next line', out: 'out', key: 'next key step', story: 'next line of the story, in any program' } as Record<StepName, string>,
    backward: (step: string) => `${step}, backward`, play: 'play, or stop', pace: 'slower, faster', close: 'close the step player',
    move: 'move', fold: 'open, close; to the caller', select: 'select the call', search: 'search', help: 'show or close this table',
    time: 'On the time line', family: 'to the caller, the first call made, the call before, the call after', zoom: 'closer, farther',
    zoomTo: 'as close as the call', whole: 'the whole request', pan: 'earlier, later',
    comparison: 'In a comparison', nextChange: 'next change', changeBefore: 'change before',
  },
};

const zhSteps: Record<StepName, string> = { into: '步入', over: '步过', line: '下一行', out: '步出', key: '关键步骤', story: '经过的一行' };

export const zh: typeof en = {
  player: {
    toggle: '单步执行', player: '单步播放器', forward: '向前', back: '向后', play: '播放', stop: '停止', close: '关闭', finer: '更多',
    step: zhSteps, title: (step, back) => `${back ? '反向' : ''}${step}`,
    pace: '速度', slower: '慢一些', faster: '快一些', perSecond: (n) => `${n} 步/秒`, by: '播放方式',
    playBy: { key: '逐个关键步骤', into: '逐次调用', over: '步过调用', story: '逐行走过经过', line: '', out: '' },
    number: (n, of) => `第 ${n} 步，共 ${of} 步`, progress: '在请求中的位置', layers: '请求经过的层',
    entered: (f) => `位于 ${f} 的开头。`,
    calling: (f, to, line) => `位于 ${f}${line ? ` 第 ${line} 行` : ''}，即将调用 ${to}。`,
    event: (f, to) => `接下来 ${to} 接收该写入的事件，它不是由 ${f} 调用的。`,
    noMore: (back) => back ? '请求从这里开始。' : '此位置之后没有更多步骤。', noMoreKeys: (back) => back ? '此位置之前没有关键步骤。' : '此位置之后没有关键步骤。',
    noMoreLines: (back) => back ? '此位置之前没有经过的行。' : '此位置之后没有经过的行。',
    returning: (f) => `${f} 即将返回；没有录制它从哪一行返回。`,
    returned: (f, time) => (time ? `${f} 用时 ${time} 后返回。` : `${f} 已返回。`),
  },
  keys: {
    signs: '符号', changes: '比较中的符号', signTable: [
      ['⋯15', '此处折叠了 15 次调用，点击可显示'], ['▸ 5', '转到第 5 节'], ['×2', '连续两次调用'], ['>3.27s', '调用仍在运行'],
      ['└┄', '经由被折叠的调用'], ['go', '在新的 goroutine 上'], ['✗', '调用返回了错误'], ['●', '在源码中：这一行有录制的调用'],
    ],
    title: '符号和按键', stepping: '单步，如同调试器', tree: '在树中', everywhere: '任何地方', views: '切换请求的视图（5：经过）', scenario: '转到场景选择', done: '关闭',
    steps: { into: '步入', over: '步过', line: '步过，到下一行', out: '步出', key: '下一个关键步骤', story: '经过的下一行，可在任何程序中' },
    backward: (step) => `反向：${step}`, play: '播放或停止', pace: '慢一些、快一些', close: '关闭单步播放器',
    move: '移动', fold: '展开、收起；到调用者', select: '选中调用', search: '搜索', help: '显示或关闭此表',
    time: '在时间线上', family: '到调用者、第一个子调用、上一个、下一个调用', zoom: '放大、缩小',
    zoomTo: '放大到此调用', whole: '整个请求', pan: '更早、更晚',
    comparison: '在比较中', nextChange: '下一处变化', changeBefore: '上一处变化',
  },
};
