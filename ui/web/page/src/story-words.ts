// The words of the story.

const en = {
  name: 'Story', title: 'What the requests caused', help: 'Each line stands below its cause. Select a line to see the call that proves it.', time: 'Time since the first line', number: 'Number of the request or event', none: 'The requests of this recording caused nothing, or it was not followed.',
};

const zh: typeof en = {
  name: '经过', title: '这些请求引起了什么', help: '每一行在其起因之下。选择一行可查看证明它的调用。', time: '从第一行算起的时间', number: '请求或事件的编号', none: '这份录制中的请求没有引起什么，或没有追踪后续。',
};

export { en, zh };
