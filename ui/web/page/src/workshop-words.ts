// The words of the workshop's views.

const en = {
  title: 'Workshop', progress: (passed: number, all: number, minutes: number) => `${passed} of ${all} exercises passed, about ${minutes} minutes to go`,
  intro: 'Each exercise asks about a recorded request, and the recording decides whether an answer is right. Progress is shared with “apitrace workshop”.',
  goOn: 'Go on with', allPassed: 'All exercises are passed.',
  allOf: (release: string) => `You have passed all exercises that can be done with Kubernetes ${release}: choose another release to go on.`,
  none: (release: string) => `The course has no exercises about Kubernetes ${release}.`, with: (release: string) => `Go on with ${release}`,
  lesson: 'Lesson', minutes: (n: number) => `${n} min`, live: 'needs a server', unavailable: 'not with this release', otherRelease: 'This exercise cannot be done with this release.',
  passed: 'passed', revealed: 'passed after seeing the solution', current: 'current', back: 'All exercises', previous: 'Previous', following: 'Next', answer: 'Your answer',
  isTrue: 'True', isFalse: 'False', evidence: 'A function that shows it', functionName: 'Function', value: 'Value', useSelected: 'Use the selected call', answerSelected: 'Answer with the selected call', goToNext: 'The next exercise', selectOne: 'Select a call in the trace to answer with it, or type a name.', commandsHere: 'The commands are for a terminal. Here, the trace stands beside the question.', check: 'Check', checking: 'Checking…', cancel: 'Cancel',
  up: (l: string) => `Move ${l} up`, down: (l: string) => `Move ${l} down`, order: 'Put the steps in order', choose: 'Choose all that are true', claim: 'Is it true?',
  change: 'Change this file of the server, then check. On the command line:', needsServer: 'This exercise needs a server. If it is not built yet, the check builds it first, which takes minutes.',
  lacksFunction: 'The name of a function is missing here.', lacksValue: 'The value is missing here.', lacksTruth: 'Choose True or False first.', lacksChoice: 'Choose at least one first.',
  wrong: 'Not yet', trace: 'What happened: its tree', hint: 'Show a hint', hints: 'Hints', hintsLeft: (n: number) => `${n} left`, solution: 'Show the solution', solutionTitle: 'Solution', orElse: 'or',
  debrief: 'What there was to learn', reset: 'Forget what I did here', traces: 'Recordings', wasCancelled: 'Cancelled.', last: 'Your last answer:', tries: (n: number) => n === 1 ? '1 wrong answer' : `${n} wrong answers`,
  beside: 'The trace that the question is about',
};

const zh: typeof en = {
  title: '工作坊', progress: (passed, all, minutes) => `${all} 个练习中已通过 ${passed} 个，还需约 ${minutes} 分钟`,
  intro: '每个练习都针对一个录制的请求提问，答案对不对由录制决定。进度与“apitrace workshop”共用。',
  goOn: '继续：', allPassed: '已通过全部练习。',
  allOf: (release) => `能用 Kubernetes ${release} 完成的练习都已通过：选择另一个版本继续。`,
  none: (release) => `课程没有针对 Kubernetes ${release} 的练习。`, with: (release) => `改用 ${release} 继续`,
  lesson: '课文', minutes: (n) => `${n} 分钟`, live: '需要服务器', unavailable: '此版本不适用', otherRelease: '这个练习不能用此版本完成。',
  passed: '已通过', revealed: '看过答案后通过', current: '当前', back: '全部练习', previous: '上一个', following: '下一个', answer: '你的答案',
  isTrue: '对', isFalse: '错', evidence: '能证明它的函数', functionName: '函数', value: '值', useSelected: '使用选中的调用', answerSelected: '用选中的调用作答', goToNext: '下一个练习', selectOne: '在追踪中选中一次调用即可用它作答，也可以输入函数名。', commandsHere: '文中的命令用于终端；在这里，追踪就在题目旁边。', check: '检查', checking: '检查中…', cancel: '取消',
  up: (l) => `上移 ${l}`, down: (l) => `下移 ${l}`, order: '将各步骤排序', choose: '选择所有正确的', claim: '这个说法对吗？',
  change: '修改服务器的这个文件，然后检查。在命令行上：', needsServer: '这个练习需要服务器。如果尚未构建，检查时会先构建，需要几分钟。',
  lacksFunction: '此处缺少函数名。', lacksValue: '此处缺少值。', lacksTruth: '请先选择“对”或“错”。', lacksChoice: '请至少选择一项。',
  wrong: '还不对', trace: '发生了什么：查看调用树', hint: '显示提示', hints: '提示', hintsLeft: (n) => `还有 ${n} 条`, solution: '显示答案', solutionTitle: '答案', orElse: '或',
  debrief: '学到了什么', reset: '清除我在此处的记录', traces: '录制', wasCancelled: '已取消。', last: '你上次的答案：', tries: (n) => `答错 ${n} 次`,
  beside: '问题所针对的追踪',
};

export const workshopWords = { en, zh };
export type WorkshopWords = typeof en;
