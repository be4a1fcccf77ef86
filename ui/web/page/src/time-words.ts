// The words of the time line.

export const en = {
  title: 'Time', chart: 'Calls over time', goroutine: (n: number) => `goroutine ${n}`, after: (process: string) => `${process}, after the first call had ended`,
  onTheWay: (process: string) => `on the way to ${process} and back`, waits: (process: string) => `(waits for ${process})`, waitsFor: (process: string, there: string, rest: string) => `waits for ${process}: ${there} of work there, ${rest} on the way`, wrappers: 'Fold wrappers', strip: 'The whole request; the frame is the shown part', run: (n: number) => `${n} calls, each of which mostly waits for the next`,
  firstEnds: 'first call ends', closer: 'Closer', farther: 'Farther', whole: 'Whole request', span: (from: string, to: string) => `${from} to ${to}`,
  hidden: (n: string) => `${n} more when you zoom in`, took: (time: string, own: string) => `${time}, ${own} of it its own`,
  madeOne: 'made 1 call', made: (n: string) => `made ${n} calls`, failed: 'failed', pointer: 'Wheel: zoom. Drag: move. Drag on the scale: zoom into a span. A line with a dot: a call whose duration was not recorded. “?” shows the keys.',
  ranking: 'What took longest', byLayer: 'By layer', byFunction: 'By function', ownTime: 'Own time: without the calls that were made. Goroutines run and wait at the same time, so own times may add up to more than the request took. Calls that had not returned when the trace was collected do not count. Select a row to see its longest call.', times: (n: string) => `×${n}`,
  open: (first: string, last: string) => `The first call had not returned when it was collected, after ${first}. The last other call that returned did so after ${last}.`,
  label: 'Arrow keys go to the caller, the first call made, and the calls before and after.',
};

export const zh: typeof en = {
  title: '时间', chart: '调用的时间分布', goroutine: (n) => `goroutine ${n}`, after: (process) => `${process}，第一次调用结束之后`,
  onTheWay: (process) => `往返 ${process} 的用时`, waits: (process) => `（等待 ${process}）`, waitsFor: (process, there, rest) => `等待 ${process}：其中处理 ${there}，往返 ${rest}`, wrappers: '折叠包装函数', strip: '整个请求；方框为显示的部分', run: (n) => `${n} 次调用，每次基本都在等待下一次`,
  firstEnds: '第一次调用结束', closer: '放大', farther: '缩小', whole: '整个请求', span: (from, to) => `${from} 至 ${to}`,
  hidden: (n) => `放大后还有 ${n} 次`, took: (time, own) => `${time}，其中自身 ${own}`,
  madeOne: '发出 1 次调用', made: (n) => `发出 ${n} 次调用`, failed: '失败', pointer: '滚轮缩放，拖动平移，在刻度上拖动可放大一段。带圆点的竖线是未记录耗时的调用。按“?”查看按键。',
  ranking: '耗时最长', byLayer: '按层', byFunction: '按函数', ownTime: '自身用时：不含所发出的调用。多个 goroutine 同时运行和等待，因此自身用时之和可能超过请求的用时。采集追踪时尚未返回的调用不计入。选择一行可查看其中最长的一次调用。', times: (n) => `×${n}`,
  open: (first, last) => `采集时（${first} 后）第一次调用尚未返回；其他调用中，最后返回的一次在 ${last} 后返回。`,
  label: '方向键转到调用者、第一个子调用以及前后的调用。',
};
