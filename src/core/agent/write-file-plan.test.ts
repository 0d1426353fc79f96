import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { writeFilePlan } from './write-file-plan';

const missing = err(appError('TOOL', 'NOT_FOUND', 'There is no such folder.'));

/** Writes the file in a project with one folder, `src`; returns the answer and what was changed. */
async function written(path: string, content: string) {
  const tools = createInMemoryTools({
    'mcp://filesystem.get_file_info': { call: (args) => (args['path'] === 'src' ? ok({}) : missing) },
    'mcp://filesystem.create_directory': { readOnly: false, call: () => ok('created') },
    'mcp://filesystem.write_file': { readOnly: false, call: () => ok('written') },
  });
  const plan = writeFilePlan(path, content);
  if (!plan.ok) throw new Error(plan.error.message);
  const harness = createAgentHarness({ tools });
  const report = await harness.run({ provided: { plan: plan.value }, approve: 'all' });
  const changes = tools.calls.flatMap(({ uri, args }) => (uri.endsWith('info') ? [] : [[uri, args]]));
  return { report, changes, facts: harness.facts };
}

const writeOf = (path: string, content: string) => ['mcp://filesystem.write_file', { path, content }];

describe('the plan that writes a text to a file', () => {
  it.each(['notes.md', 'src/index.ts', 'a..b/.env', 'x~/c:d'])('writes %s and says so', async (path) => {
    const { report, changes } = await written(path, 'one\ntwo');
    expect(report).toMatchObject({ outcome: 'done', answer: `Wrote ${path}.` });
    expect(report.nodes.at(-1)).toMatchObject({ summary: `${path} was written.` });
    expect(changes.at(-1)).toEqual(writeOf(path, 'one\ntwo'));
  });

  it('creates a folder that does not exist first, and no other', async () => {
    expect((await written('docs/new/a.md', 'x')).changes).toEqual([
      ['mcp://filesystem.create_directory', { path: 'docs/new' }],
      writeOf('docs/new/a.md', 'x'),
    ]);
    expect((await written('src/a.ts', 'x')).changes).toEqual([writeOf('src/a.ts', 'x')]);
    expect((await written('a.ts', 'x')).changes).toEqual([writeOf('a.ts', 'x')]);
  });

  it('is one step, named after the file', async () => {
    const { facts } = await written('src/a.ts', 'x');
    const made = facts.find(({ type }) => type === 'plan-made');
    expect(made).toMatchObject({ plan: { goal: 'Write src/a.ts', constraints: [] } });
    const plan = writeFilePlan('src/a.ts', 'x');
    expect(plan.ok && plan.value.nodes.map(({ id, title }) => [id, title])).toEqual([
      ['write', 'Write src/a.ts'],
    ]);
  });

  const outside = {
    kind: 'HOST',
    code: 'INVALID_INPUT',
    hint: 'Give a path below the project folder, such as src/index.ts.',
  };

  it.each(['/etc/passwd', '~/x', '\\\\host\\x', 'C:\\x', 'z:x', '..', '../x', 'src/../../x', 'src\\..\\x'])(
    'is refused for %s, which leads out of the project',
    (path) => {
      expect(writeFilePlan(path, '')).toMatchObject({
        ok: false,
        error: { ...outside, message: `${path} is outside the project folder.` },
      });
    },
  );

  it('is refused for a folder', () => {
    expect(writeFilePlan('src/', '')).toMatchObject({
      error: { kind: 'HOST', code: 'INVALID_INPUT', message: 'src/ is a folder, not a file.' },
    });
  });
});
