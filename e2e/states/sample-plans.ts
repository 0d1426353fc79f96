const search = (id: string, title: string, query: string, more: object = {}) => ({
  id,
  title,
  kind: 'script',
  tools: ['mcp://project.search_text'],
  params: { query },
  code: `const found = await tools.project.search_text({ query: params.query, countBy: 'folder' });
await artifacts.write(\`\${params.query.toLowerCase()}.json\`, found.counts);
return { summary: \`\${found.totalMatches} matches in \${found.filesSearched} files\`, state: { matches: found.totalMatches } };`,
  ...more,
});

const todo = search('todo', 'Search for TODO', 'TODO');
const fixme = search('fixme', 'Search for FIXME', 'FIXME');
const merge = {
  id: 'merge',
  title: 'Put both counts together',
  kind: 'script',
  deps: ['todo', 'fixme'],
  code: `const rows = [{ word: 'TODO', matches: inputs.todo.matches }, { word: 'FIXME', matches: inputs.fixme.matches }];
return { summary: 'Two rows', state: { rows } };`,
};
const judge = {
  id: 'judge',
  title: 'Say which folder to tidy first',
  kind: 'llm',
  deps: ['merge'],
  prompt: 'Say in one sentence which of the two words to work on first.',
};

/** Two searches, a merge, a sentence of the model: shows a graph that forks and joins. */
export const reviewPlan = {
  goal: 'Review the notes to self',
  nodes: [todo, fixme, merge, judge],
  answer: '{{merge.rows}}\n\n{{judge.text}}',
};

/** Ends in a write, which stops at its exact arguments. */
export const writePlan = {
  goal: 'Write down what is left to do',
  nodes: [
    todo,
    {
      id: 'write',
      title: 'Write the report',
      kind: 'script',
      deps: ['todo'],
      tools: ['mcp://filesystem.write_file'],
      code: `await tools.filesystem.write_file({ path: 'docs/left-to-do.md', content: \`# Left to do\\n\\n\${inputs.todo.matches} notes in the code and the docs.\\n\` });
return { summary: 'docs/left-to-do.md is written' };`,
    },
  ],
  answer: 'The report is in `docs/left-to-do.md`.',
};

/** One search ends well, one reads a file that is not there, one waits for it. */
export const partialPlan = {
  goal: 'Compare the notes with the change log',
  nodes: [
    todo,
    {
      id: 'changes',
      title: 'Read the change log',
      kind: 'script',
      tools: ['mcp://project.read_text'],
      code: `const text = await tools.project.read_text({ path: 'CHANGELOG.md' });
return { summary: 'Read', state: { text } };`,
    },
    {
      id: 'compare',
      title: 'Compare both',
      kind: 'script',
      deps: ['todo', 'changes'],
      code: `return { summary: 'Compared' };`,
    },
  ],
  answer: '**{{todo.matches}} notes** are left in the project.',
};

/** Counts forever, with a time limit of a third of a second. */
export const endlessPlan = {
  goal: 'Count to the end',
  nodes: [
    {
      id: 'count',
      title: 'Count all numbers',
      kind: 'script',
      budgets: { cpu_ms: 300 },
      code: `let n = 0;
while (true) n += 1;`,
    },
  ],
  answer: 'Counted.',
};

/** Names a missing step, and an unknown tool. */
export const brokenPlan = {
  goal: 'Publish the docs',
  nodes: [
    {
      id: 'upload',
      title: 'Upload',
      kind: 'script',
      deps: ['build'],
      tools: ['mcp://cloud.upload'],
      code: `await tools.cloud.upload({ folder: 'docs' }); return { summary: 'Uploaded' };`,
    },
  ],
  answer: '{{upload.url}}',
};

/** Writes notes, one of them without its text and one into a missing folder; continues after errors. */
export const notesPlan = (count: number) => ({
  goal: `Write ${count} notes`,
  nodes: [
    {
      id: 'notes',
      title: 'Write the notes',
      kind: 'script',
      tools: ['mcp://filesystem.write_file'],
      params: { count },
      code: `const notes = Array.from({ length: params.count }, (_, at) => ({ path: \`note-\${at + 1}.md\`, content: '# Note\\n' }));
await Promise.allSettled([...notes, { path: 'without-its-text.md' }, { path: 'no/such/folder/note.md', content: 'x' }].map((note) => tools.filesystem.write_file(note)));
return { summary: 'The notes were asked for', state: { count: params.count } };`,
    },
  ],
  answer: 'Asked for **{{notes.count}} notes**.',
});
