const script = (id: string, title: string, code: string, more: object = {}) => ({
  id,
  title,
  kind: 'script',
  deps: [],
  code,
  ...more,
});

const write = { tools: ['mcp://filesystem.write_file'] };

/** Writes text from an untrusted server. */
export const taintedPlan = {
  goal: 'Write the news down',
  nodes: [
    script(
      'news',
      'Read the news',
      "return { summary: 'Read', state: { text: await tools.wire.news({}) } };",
      {
        tools: ['mcp://wire.news'],
      },
    ),
    script(
      'write',
      'Write the news down',
      "await tools.filesystem.write_file({ path: 'docs/news.md', content: inputs.news.text });\nreturn { summary: 'Written' };",
      { deps: ['news'], ...write },
    ),
  ],
  answer: 'The news is in `docs/news.md`.',
};

/** Three writes that wait on one card. */
export const threeWrites = {
  goal: 'Write one page for each release',
  nodes: [
    script(
      'pages',
      'Write the pages',
      `const names = ['1-0', '1-1', '2-0'];
await Promise.all(names.map((name) =>
  tools.filesystem.write_file({ path: \`docs/release-\${name}.md\`, content: \`# Release \${name}\\n\` })));
return { summary: 'Three pages' };`,
      write,
    ),
  ],
  answer: 'Three pages are written.',
};

/** Two steps that write at the same time. */
export const parallelWrites = {
  goal: 'Write the notes and the index',
  nodes: [
    script(
      'notes',
      'Write the notes',
      "await Promise.all(['one', 'two'].map((name) => tools.filesystem.write_file({ path: `docs/${name}.md`, content: `# ${name}\\n` })));\nreturn { summary: 'Two notes' };",
      write,
    ),
    script(
      'index',
      'Write the index',
      "await tools.filesystem.write_file({ path: 'docs/index.md', content: '# Index\\n' });\nreturn { summary: 'The index' };",
      write,
    ),
  ],
  answer: 'Written.',
};

/** Deletes one of two copies. */
export const deleteCopy = {
  goal: 'Delete the old copy of the guide',
  nodes: [
    script(
      'remove',
      'Delete the copy',
      "await tools.project.delete_file({ path: 'docs/guide.md' });\nreturn { summary: 'Deleted' };",
      { tools: ['mcp://project.delete_file'] },
    ),
  ],
  answer: 'Deleted.',
};

/** The step after both ways of reading. */
const countLines = script(
  'count',
  'Count its lines',
  "return { summary: 'Counted', state: { lines: inputs.read.text.split('\\n').length } };",
  { deps: ['read'] },
);

/** Reads a missing file; the second plan takes another way. */
export const wrongWay = {
  goal: 'Say how long the guide is',
  nodes: [
    script(
      'look',
      'Look at the docs',
      "const { files } = await tools.project.list_files({ path: 'docs' });\nreturn { summary: `${files.length} files`, state: { count: files.length } };",
      { tools: ['mcp://project.list_files'] },
    ),
    script(
      'read',
      'Read the handbook',
      "const { text } = await tools.project.read_text({ path: 'docs/handbook.md' });\nreturn { summary: 'Read', state: { text } };",
      { deps: ['look'], tools: ['mcp://project.read_text'] },
    ),
    countLines,
  ],
  answer: 'The guide has **{{count.lines}} lines**.',
};
export const otherWay = {
  nodes: [
    script(
      'read',
      'Read the guide',
      "const { text } = await tools.project.read_text({ path: 'docs/guide.md' });\nreturn { summary: 'Read docs/guide.md', state: { text } };",
      { deps: ['look'], tools: ['mcp://project.read_text'] },
    ),
    countLines,
  ],
  answer: 'The guide has **{{count.lines}} lines**.',
};

/** A tool that gives an image, a sound, a file and a link beside its text. */
export const reportPlan = {
  goal: 'Show the report of the quarter',
  nodes: [
    script(
      'report',
      'Get the report',
      'const report = await tools.gallery.report({});\nreturn { summary: report.text, state: { text: report.text } };',
      { tools: ['mcp://gallery.report'] },
    ),
  ],
  answer: '{{report.text}}',
};

/** Uses a tool whose server may declare something else by then. */
export const weighPlan = {
  goal: 'Weigh the coin',
  nodes: [
    script(
      'weigh',
      'Weigh the coin',
      "return { summary: 'Weighed', state: { said: await tools.scales.weigh({ thing: 'a coin' }) } };",
      { tools: ['mcp://scales.weigh'] },
    ),
  ],
  answer: '{{weigh.said}}',
};

const lines = Array.from({ length: 60 }, (_, at) => `export const limit${at + 1} = ${at + 1};`);

const edits = [
  {
    oldText: 'export const limit9 = 9;',
    newText: '// Enough for one page.\nexport const limit9 = 900;',
  },
  { oldText: 'export const limit50 = 50;', newText: 'export const limit50 = 5_000;' },
];

/** A long file, and then a change of two of its lines. */
export const longChange = {
  goal: 'Raise two limits',
  nodes: [
    script(
      'change',
      'Raise two limits',
      `const content = ${JSON.stringify(lines.join('\n'))};
await tools.filesystem.write_file({ path: 'src/limits.ts', content });
await tools.filesystem.edit_file({ path: 'src/limits.ts', edits: ${JSON.stringify(edits)} });
return { summary: 'Raised' };`,
      { tools: ['mcp://filesystem.write_file', 'mcp://filesystem.edit_file'] },
    ),
  ],
  answer: 'Two limits are higher.',
};

/** Replaces a picture with a text. */
export const binaryChange = {
  goal: 'Replace the logo',
  nodes: [
    script(
      'replace',
      'Replace the logo',
      "await tools.filesystem.write_file({ path: 'docs/images/logo.png', content: 'no picture' });\nreturn { summary: 'Replaced' };",
      write,
    ),
  ],
  answer: 'Replaced.',
};

/** A call of a server that is not trusted, with arguments of every form. */
export const formCall = {
  goal: 'Tell the wire',
  nodes: [
    script(
      'tell',
      'Tell the wire',
      `await tools.wire.news({ order_id: 'W-1042', note: 'Please exchange both lamps.\\nThe box is open.', itemIds: ['L-7', 'L-9'], deliverBy: '2026-12-01', address: { city: 'Bern', zip: 3011 }, urgent: true });
return { summary: 'Told' };`,
      { tools: ['mcp://wire.news'] },
    ),
  ],
  answer: 'Told.',
};

/** A question of the plan itself. */
export const questionPlan = {
  goal: 'Tidy the archive',
  nodes: [
    {
      id: 'ask',
      title: 'Which copies',
      kind: 'approval',
      deps: [],
      prompt: 'Two copies of the licence are in the archive. Shall the older one stay?',
      params: { older: 'docs/archive/licence-old.txt', newer: 'docs/licence.txt' },
    },
  ],
  answer: 'The older one stays.',
};
