// The words of the guide's page and of the list of lessons.

const en = {
  name: 'Guide', lessons: 'Lessons', help: (steps: string, layers: number) => `The guide knows ${steps} functions in ${layers} layers of the servers, in the order in which a request meets them. It decides which calls a tree shows as key steps.`,
  filter: 'Filter the guide', layers: 'Layers', none: (text: string) => `The guide has nothing with “${text}”.`, since: (r: string) => `since ${r}`, until: (r: string) => `until ${r}`,
  values: 'records', where: (f: string) => `What is known of ${f}`, steps: (n: number) => (n === 1 ? '1 function' : `${n} functions`), noSteps: 'No key steps: the guide assigns functions to this layer, but describes none of them.',
  lessonsHelp: 'Pages to read beside the recordings.', kinds: { course: 'The course', reference: 'To look things up', leaders: 'For those who lead a workshop' },
  allLessons: 'All lessons', toExercise: 'Back to the exercise', next: 'Next', beside: 'The trace of the lesson', alone: 'Open this trace alone',
  toRead: (n: number) => `${n} min to read`, exercises: (n: number, minutes: number) => (n === 1 ? `1 exercise (${minutes} min)` : `${n} exercises (${minutes} min)`),
  passed: (n: number, all: number) => `${n} of ${all} passed`, toExercises: (n: number) => (n === 1 ? 'Exercise of this chapter' : `Exercises of this chapter (${n})`),
};

const zh: typeof en = {
  name: '指南', lessons: '课文', help: (steps, layers) => `指南收录了服务器 ${layers} 个层中的 ${steps} 个函数，按请求经过的顺序排列。调用树把哪些调用显示为关键步骤，由它决定。`,
  filter: '筛选指南', layers: '层', none: (text) => `指南中没有含“${text}”的内容。`, since: (r) => `自 ${r} 起`, until: (r) => `到 ${r} 为止`,
  values: '记录', where: (f) => `关于 ${f} 的全部资料`, steps: (n) => `${n} 个函数`, noSteps: '没有关键步骤：指南知道哪些函数属于这一层，但没有关于它们的说明。',
  lessonsHelp: '可与录制对照阅读的课文。', kinds: { course: '课程', reference: '查阅', leaders: '写给带领工作坊的人' },
  allLessons: '全部课文', toExercise: '返回练习', next: '下一篇', beside: '课文中的追踪', alone: '单独打开这条追踪',
  toRead: (n) => `阅读约 ${n} 分钟`, exercises: (n, minutes) => `${n} 个练习（${minutes} 分钟）`,
  passed: (n, all) => `已通过 ${n}/${all}`, toExercises: (n) => `本章练习（${n} 个）`,
};

export const guideWords = { en, zh };
