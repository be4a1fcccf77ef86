// The words of a search for a line.

const en = {
  lines: 'The function of this line',
  lastBefore: (line: number) => `the function that begins last before line ${line} among the calls of this request`,
};

const zh: typeof en = {
  lines: '这一行所在的函数',
  lastBefore: (line) => `该请求的调用中，在第 ${line} 行之前最后开始的函数`,
};

export const searchWords = { en, zh };
