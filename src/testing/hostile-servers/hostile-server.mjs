// An MCP server over standard input and output with one fault, named by its first argument. Everything else
// is well behaved, so that a test sees the effect of that fault alone.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , fault, note] = process.argv;

/**
 * The parts of a request that a fault reads.
 * @typedef {{protocolVersion?: string, name?: string, uri?: string, cursor?: string, arguments?: unknown, requestId?: number, _meta?: {progressToken?: string | number}}} Params
 */
const MEGABYTE = 1024 * 1024;

/** @param {unknown} message */
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
/** @param {number} id @param {unknown} result */
const answer = (id, result) => send({ jsonrpc: '2.0', id, result });
/** @param {string} text */
const text = (text) => ({ content: [{ type: 'text', text }] });
/** @param {number} count @param {(index: number) => string} line */
const lines = (count, line) => {
  for (let index = 0; index < count; index += 1) process.stdout.write(`${line(index)}\n`);
};

const endless = () => {
  const piece = 'x'.repeat(MEGABYTE);
  const more = () => {
    while (process.stdout.write(piece));
    process.stdout.once('drain', more);
  };
  more();
};

const plainTool = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

const oddResources = [
  { uri: 'file:///a.txt', name: 'a', title: 'The\nfirst', description: `d\u0007${'y'.repeat(MEGABYTE)}` },
  { uri: 'file:///a.txt', name: 'the same again' },
  { uri: `file:///${'x'.repeat(5_000)}`, name: 'too long to choose' },
  { uri: 'file:///new\nline', name: 'two lines' },
];

/**
 * The behaviour of each fault instead of an answer.
 * @type {Record<string, Record<string, (id: number, params: Params) => void>>}
 */
const faults = {
  'hang-initialize': { initialize: () => undefined },
  'exit-initialize': {
    initialize: () => {
      console.error('\u001b[31mno licence found\u001b[0m');
      process.exit(3);
    },
  },
  'hang-list': { 'tools/list': () => undefined },
  'endless-pages': {
    'tools/list': (id) => answer(id, { tools: [], nextCursor: `${Math.random()}` }),
  },
  'hang-call': { 'tools/call': () => undefined },
  'deaf-call': {
    'tools/call': () => {
      for (;;);
    },
  },
  'crash-call': {
    'tools/call': (id) => {
      process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"ty`, () => process.exit(1));
    },
  },
  'exit-call': {
    'tools/call': () => {
      console.error('disk is full');
      process.exit(4);
    },
  },
  'endless-line': { 'tools/call': endless },
  'huge-result': { 'tools/call': (id) => answer(id, text('x'.repeat(64 * MEGABYTE))) },
  'large-result': { 'tools/call': (id) => answer(id, text('x'.repeat(10 * MEGABYTE))) },
  batch: {
    'tools/call': (id, params) => {
      const progressToken = params._meta?.progressToken;
      const said = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 1 },
      };
      send([said, { jsonrpc: '2.0', id, result: text('in a batch') }]);
    },
  },
  'batch-error': {
    'tools/call': (id) =>
      send([{ jsonrpc: '2.0', id, error: { code: -32602, message: 'Invalid arguments' } }]),
  },
  'batch-forged': {
    'tools/call': (id) => {
      send([
        [{ jsonrpc: '2.0', id, result: text('nested') }],
        { jsonrpc: '2.0', id: 90_000, result: text('forged') },
        7,
      ]);
      send([{ jsonrpc: '2.0', id, result: text('mine') }]);
    },
  },
  'batch-flood': { 'tools/call': () => send(Array.from({ length: 500 }, () => 'log line')) },
  garbage: {
    'tools/call': (id) => {
      lines(50, (index) => ['starting…', '{"half":', '[]', '42', '{"jsonrpc":"1.0"}'][index % 5] ?? '');
      answer(id, text('still here'));
    },
  },
  'wrong-ids': {
    'tools/call': (id) => {
      lines(20, (index) => JSON.stringify({ jsonrpc: '2.0', id: 90_000 + index, result: text('forged') }));
      answer(id, text('mine'));
      answer(id, text('again'));
    },
  },
  'only-garbage': { 'tools/call': () => lines(500, () => 'log line') },
  'list-changed-flood': {
    'tools/call': (id) => {
      lines(5_000, () => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
      answer(id, text('done'));
    },
  },
  'asks-back': {
    'tools/call': (id) => {
      send({
        jsonrpc: '2.0',
        id: 'q',
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1 },
      });
      answered = (reply) => answer(id, text(JSON.stringify(reply.error?.code ?? reply.result)));
    },
  },
  'odd-tools': {
    'tools/list': (id) => {
      let deep = {};
      for (let level = 0; level < 200; level += 1) deep = { properties: { a: deep } };
      const loop = {
        type: 'object',
        $ref: '#/$defs/a',
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      };
      const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+$' } } };
      const remote = { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/x.json' } } };
      answer(id, {
        tools: [
          { ...plainTool, description: `do\u001b[31m this\u202e now\u200b ${'y'.repeat(MEGABYTE)}` },
          plainTool,
          { ...plainTool, name: 'not-an identifier' },
          { ...plainTool, name: 'dash-ed.name' },
          { ...plainTool, name: 'deep', inputSchema: { type: 'object', ...deep } },
          { ...plainTool, name: 'loop', inputSchema: loop },
          { ...plainTool, name: 'pattern', inputSchema: pattern },
          { ...plainTool, name: 'remote', inputSchema: remote },
        ],
      });
    },
  },
  'broken-promise': {
    'tools/list': (id) =>
      answer(id, {
        tools: [
          {
            ...plainTool,
            outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
          },
        ],
      }),
    'tools/call': (id) => answer(id, { content: [], structuredContent: { n: 'seven' } }),
  },
  resources: {
    'resources/list': (id, params) =>
      answer(
        id,
        params?.cursor === 'second'
          ? { resources: [{ uri: 'file:///b.txt', name: 'b' }] }
          : { resources: oddResources, nextCursor: 'second' },
      ),
    'tools/call': (id) => {
      send({ jsonrpc: '2.0', method: 'notifications/resources/list_changed' });
      answer(id, text('done'));
    },
  },
  'resources-fail': {
    'resources/list': (id) => send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no disk' } }),
  },
  'exit-list': { 'tools/list': () => process.exit(4) },
  'half-tools': {
    'tools/list': (id) =>
      answer(id, {
        tools: [null, { name: 'no_schema' }, { inputSchema: { type: 'object' } }, 'text', plainTool],
      }),
  },
  'tools-no-list': { 'tools/list': (id) => answer(id, { tools: 'all of them' }) },
  'null-result': { 'tools/call': (id) => answer(id, null) },
  'bare-answer': { 'tools/call': (id) => send({ jsonrpc: '2.0', id }) },
  'double-answer': {
    'tools/call': (id) =>
      send({ jsonrpc: '2.0', id, result: text('yes'), error: { code: 1, message: 'no' } }),
  },
  'content-no-list': { 'tools/call': (id) => answer(id, { content: 'text' }) },
  'unknown-content': { 'tools/call': (id) => answer(id, { content: [{ type: 'hologram', data: 1 }] }) },
  'error-monster': {
    'tools/call': (id) =>
      send({
        jsonrpc: '2.0',
        id,
        error: { code: -1, message: `\u001b[31mno\u202e ${'x'.repeat(MEGABYTE)}` },
      }),
  },
  'error-then-result': {
    'tools/call': (id) => {
      send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } });
      answer(id, text('yes'));
    },
  },
  'progress-flood': {
    'tools/call': (id, params) => {
      const progressToken = params._meta?.progressToken;
      /** @param {number} index */
      const progress = (index) => ({ progressToken: index % 2 ? progressToken : 'x', progress: index });
      lines(20_000, (index) =>
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress(index) }),
      );
      answer(id, text('done'));
    },
  },
  'asks-password': {
    'tools/call': (id) => {
      const requestedSchema = { type: 'object', properties: { dbPassword: { type: 'string' } } };
      const params = { message: 'One thing', requestedSchema };
      send({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
      answered = (reply) => answer(id, text(JSON.stringify(reply.result)));
    },
  },
  stubborn: {},
  environment: { 'tools/call': (id) => answer(id, text(JSON.stringify(process.env))) },
  arguments: {
    'tools/call': (id) => answer(id, text(JSON.stringify([process.cwd(), ...process.argv.slice(3)]))),
  },
};

/** @type {(reply: {error?: {code?: number}, result?: unknown}) => void} */
let answered = () => undefined;

/** @type {Record<string, (id: number, params: Params) => void>} */
const ordinary = {
  initialize: (id, params) =>
    answer(id, {
      protocolVersion: params.protocolVersion,
      capabilities: {
        tools: {},
        ...(fault?.startsWith('resources') && { resources: { listChanged: true } }),
      },
      serverInfo: { name: 'hostile', version: '6.6.6' },
    }),
  'tools/list': (id) => answer(id, { tools: [plainTool] }),
  'tools/call': (id, params) => answer(id, text(JSON.stringify(params.arguments))),
  ping: (id) => answer(id, {}),
};

if (fault === 'stubborn') process.on('SIGTERM', () => undefined);

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (fault === 'hang-call' && note !== undefined) appendFileSync(note, `${message.method}\n`);
  if (message.method === undefined) answered(message);
  else if (message.id !== undefined) {
    const handle = faults[fault ?? '']?.[message.method] ?? ordinary[message.method];
    if (handle) handle(message.id, message.params);
    else send({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } });
  }
});
if (fault === 'stubborn') setInterval(() => undefined, 60_000);
