// The words of the leader's page, group.tsx.

const en = {
  title: 'Workshop', join: 'Join', joinHow: 'In a terminal, with a name of your own:', code: 'Code', yourName: 'NAME',
  learners: (n: number) => n === 1 ? '1 learner' : `${n} learners`, none: 'Nobody has joined yet.',
  passed: (n: number, of: number) => `${n} of ${of} passed`, at: (what: string, how?: string) => how ? `at ${what}: ${how}` : `at ${what}`, tries: (n: number) => n === 1 ? '1 wrong answer' : `${n} wrong answers`,
  exercise: 'Exercise', show: 'Show the question', poll: 'Start a poll', close: 'Close the poll', down: 'Take it down',
  jump: (name: string) => `apitrace workshop jump ${name}`, vote: 'apitrace workshop vote true   or   false',
  votes: (n: number, of: number) => `${n} of ${of} have voted`, holds: 'true', fails: 'false', result: 'Votes',
  voted: 'has voted', remove: (name: string) => `Remove ${name}`, save: 'Wrong answers:', colours: 'Colours', language: 'Chinese', languageShort: '中文',
  system: 'System colours', light: 'Light', dark: 'Dark', controls: 'Controls', progress: 'Progress', question: 'Question',
  lost: 'The server does not answer. Is "apitrace workshop serve" still running?', done: { passed: 'passed', revealed: 'solution seen', tried: 'wrong so far', started: 'begun' },
};

const zh: typeof en = {
  title: '工作坊', join: '加入', joinHow: '在终端里，用你自己取的名字：', code: '加入码', yourName: '名字',
  learners: (n) => `${n} 位学员`, none: '还没有人加入。',
  passed: (n, of) => `已通过 ${n}/${of}`, at: (what, how) => how ? `正在做 ${what}：${how}` : `正在做 ${what}`, tries: (n) => `答错 ${n} 次`,
  exercise: '练习', show: '显示题目', poll: '开始投票', close: '结束投票', down: '撤下',
  jump: (name) => `apitrace workshop jump ${name}`, vote: 'apitrace workshop vote true   或   false',
  votes: (n, of) => `${of} 人中已有 ${n} 人投票`, holds: '对', fails: '错', result: '投票结果',
  voted: '已投票', remove: (name) => `移除 ${name}`, save: '错误答案：', colours: '颜色', language: 'English', languageShort: 'EN',
  system: '跟随系统', light: '浅色', dark: '深色', controls: '控制', progress: '进度', question: '题目',
  lost: '服务器没有回应。“apitrace workshop serve”还在运行吗？', done: { passed: '已通过', revealed: '看过答案', tried: '尚未答对', started: '已开始' },
};

export type GroupWords = typeof en;
export const groupWords = { en, zh };
