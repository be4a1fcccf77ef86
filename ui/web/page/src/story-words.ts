// The words of the story.

const en = {
  name: 'Story', title: 'What the requests caused', help: 'Each line stands below its cause. Its number (#) is that of the request or event. Select a line to see the call that proves it.', byTime: 'In the order of time, with a lane for each actor', helpInTime: 'An arrow leads from a cause to what it caused. A hollow dot is a decision, a full one a request to kube-apiserver.', time: 'Time since the first line', timeColumn: 'time', number: 'Number of the request or event', none: 'The requests of this recording caused nothing, or it was not followed.',
};

const zh: typeof en = {
  name: '经过', title: '这些请求引起了什么', help: '每一行在其起因之下。# 是请求或事件的编号。选择一行可查看证明它的调用。', byTime: '按时间排列，每个参与者一列', helpInTime: '箭头从起因指向它引起的事。空心点是决定，实心点是发给 kube-apiserver 的请求。', time: '从第一行算起的时间', timeColumn: '时间', number: '请求或事件的编号', none: '这份录制中的请求没有引起什么，或没有追踪后续。',
};

export { en, zh };
