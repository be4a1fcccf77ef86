// The words of the map.

const en = {
  name: 'Map', also: 'Within those: ', and: ',', gap: ' ', client: 'Client', filterChain: 'Filter chain, and calls whose server is not known', notReached: 'not reached', notReachedServer: 'This request did not reach this server.',
  way: 'The way of the request',
  calls: (n: string) => `${n} calls`, oneCall: '1 call', own: (time: string) => `${time} of its own: without the calls that it made in other layers`, first: 'To the beginning', back: 'One station back', next: 'To the next station', all: 'Show the whole way',
  at: (n: number, of: number) => `${n} of ${of}`, inTree: 'In the tree', helpList: 'A number is a section of the tree. The arrow keys go through the sections.', help: 'A number is a section of the tree. Select a station to see its first step there; the arrow keys follow the way.',
  boxTimes: 'Times at the stations: own time, without the calls made in other layers.', listTimes: 'Times in the list: with the calls that were made.',
  afterwards: 'afterwards', laterGroup: 'afterwards: these calls handle the event of the write; the request does not make them', boot: 'The servers as they were built', bootHelp: (routes: string) => `Each server passes the requests that it does not serve to the one below. ${routes} routes were built when this release started.`,
  routes: (n: string) => (n === '1' ? '1 route' : `${n} routes`), resources: (n: number) => (n === 1 ? '1 resource' : `${n} resources`), holds: (resources: string, routes: string) => `${resources}, ${routes}`, others: 'Routes of no resource', storage: 'Storage', strategy: 'Create strategy', registered: 'The call that registered it',
  completed: 'The call that completed its registry', handsOn: 'passes other requests on to', made: 'The call that made it', handler: 'Handler', unknownServer: 'of no known server', after: (time: string) => `${time} after the start`, none: '–',
  method: 'Method', path: 'Path', onlyRecorded: 'The list of what was built is not available here.',
};

const zh: typeof en = {
  name: '地图', also: '其中还有：', and: '、', gap: '', client: '客户端', filterChain: '过滤器链，以及不知属于哪个服务器的调用', notReached: '没有到达', notReachedServer: '此请求没有到达这个服务器。',
  way: '请求的路线',
  calls: (n) => `${n} 次调用`, oneCall: '1 次调用', own: (time) => `自身用时 ${time}，不含对其他层的调用`, first: '回到起点', back: '上一站', next: '下一站', all: '显示整条路线',
  at: (n, of) => `第 ${n} 站，共 ${of} 站`, inTree: '在树中查看', helpList: '数字是树中的节号。用方向键逐节前进。', help: '数字是树中的节号。选择一站可查看它在树中的第一步；用方向键沿路线前进。',
  boxTimes: '各站的用时：自身用时，不含对其他层的调用。', listTimes: '列表中的用时：包含所发出的调用。',
  afterwards: '之后', laterGroup: '之后：接收该写入的事件，不由请求调用', boot: '启动时创建的各个服务器', bootHelp: (routes) => `每个服务器把自己不处理的请求交给下面的服务器。此版本启动时建立了 ${routes} 条路由。`,
  routes: (n) => `${n} 条路由`, resources: (n) => `${n} 个资源`, holds: (resources, routes) => `${resources}，${routes}`, others: '不属于任何资源的路由', storage: '存储', strategy: '创建策略', registered: '注册它的调用',
  completed: '完成其 registry 的调用', handsOn: '其余请求交给', made: '创建它的调用', handler: '处理器', unknownServer: '不知属于哪个服务器', after: (time) => `启动后 ${time}`, none: '–',
  method: '方法', path: '路径', onlyRecorded: '这里没有启动时所建内容的列表。',
};

export { en, zh };
