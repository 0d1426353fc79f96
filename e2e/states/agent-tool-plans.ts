const script = (id: string, title: string, code: string, more: object = {}) => ({
  id,
  title,
  kind: 'script',
  deps: [],
  code,
  ...more,
});

const write = { tools: ['mcp://filesystem.write_file'] };

/** Writes what a server says that nobody vouches for. */
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

/** The step that stands behind both ways of reading. */
const countLines = script(
  'count',
  'Count its lines',
  "return { summary: 'Counted', state: { lines: inputs.read.text.split('\\n').length } };",
  { deps: ['read'] },
);

/** Reads a file that is not there; the second plan goes another way. */
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

/** Uses a tool whose server may say something else of it by then. */
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
