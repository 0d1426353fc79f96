const unbroken = 'thisNameWasWrittenByAMachineThatKnowsNoSpaces'.repeat(45).slice(0, 2_000);

const chain = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const before = at < 5 ? [] : [`step_${at - 5}`, ...(at % 7 === 0 ? [`step_${at - 3}`] : [])];
    return {
      id: `step_${at}`,
      title: `Look through part ${at + 1} of the archive`,
      kind: 'script',
      deps: before,
      code: `return { summary: 'Part ${at + 1} has ${at * 3} rows', state: { rows: ${at * 3} } };`,
    };
  });

/** Forty steps, five side by side. */
export const fortyPlan = {
  goal: 'Look through the whole archive',
  nodes: chain(40),
  answer: 'The last part has **{{step_39.rows}} rows**.',
};

const lines = Array.from(
  { length: 300 },
  (_, at) => `const part${at} = ${at} * 2; // part ${at} of the calculation`,
);

/** A script of 300 lines and a table of 200 rows. */
export const tablePlan = {
  goal: 'List every row of the archive',
  nodes: [
    {
      id: 'rows',
      title: 'Calculate the rows',
      kind: 'script',
      deps: [],
      code: `${lines.join('\n')}
const rows = Array.from({ length: 200 }, (_, at) => ({ row: at + 1, folder: 'archive/part-' + (at % 12), bytes: at * 1319, note: at % 9 === 0 ? 'copied by hand, see the log' : '' }));
return { summary: '200 rows', state: { rows } };`,
    },
  ],
  answer: '{{rows.rows}}',
};

/** Waits for a write whose argument has ten thousand characters. */
export const hugeArgumentPlan = {
  goal: 'Write the long page',
  nodes: [
    {
      id: 'write',
      title: 'Write the long page',
      kind: 'script',
      deps: [],
      tools: ['mcp://filesystem.write_file'],
      code: `const content = Array.from({ length: 160 }, (_, at) => 'Line ' + (at + 1) + ' of a page that somebody has to read before it is written.').join('\\n');
await tools.filesystem.write_file({ path: 'docs/long.md', content });
return { summary: 'Written' };`,
    },
  ],
  answer: 'Written.',
};

/** Titles, summaries, log lines and errors without a place to break them. */
export const unbrokenPlan = {
  goal: `Say ${unbroken}`,
  nodes: [
    {
      id: 'say',
      title: unbroken.slice(0, 200),
      kind: 'script',
      deps: [],
      code: `log('${unbroken}');\nreturn { summary: '${unbroken.slice(0, 900)}', state: { said: '${unbroken}' } };`,
    },
    {
      id: 'fail',
      title: `Fail ${unbroken.slice(0, 150)}`,
      kind: 'script',
      deps: ['say'],
      code: `throw new Error('${unbroken}');`,
    },
  ],
  answer: '{{say.said}}',
};
