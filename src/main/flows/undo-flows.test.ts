import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { ledgerOf } from '#shared/ledger';
import { err } from '#shared/result';
import type { RunState } from '#shared/session-state';
import type { UndoReport } from '#shared/undo';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { undoCommand, type UndoOptions } from '../cli/commands/undo';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';

let project: string;
let harness: MainHarness;

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), 'patina-undo-'));
  mkdirSync(join(project, '.patina'));
  writeFileSync(
    join(project, '.patina/capabilities.json'),
    JSON.stringify({ allow: ['mcp://filesystem.*', 'mcp://project.*'] }),
  );
  harness = await startMain({ project });
});
afterEach(async () => {
  await harness.close();
  rmSync(project, { recursive: true, force: true });
});

const at = (path: string): string => join(project, path);
const put = (path: string, content: string | Buffer): void => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
};
const text = (path: string): string => readFileSync(at(path), 'utf8');
const call = (tool: string, args: object): string =>
  `await tools.filesystem.${tool}(${JSON.stringify(args)});`;
const write = (path: string, content: string): string => call('write_file', { path, content });
const edit = (path: string, oldText: string, newText: string): string =>
  call('edit_file', { path, edits: [{ oldText, newText }] });
const move = (source: string, destination: string): string => call('move_file', { source, destination });

/** Runs a script that writes, and returns the run. */
async function wrote(...code: readonly string[]): Promise<RunState> {
  const { app, sessionId } = harness;
  const plan = planOf([scriptNode('work', `${code.join('\n')} return { summary: 'written' };`)], 'Done.');
  const line = { sessionId, text: 'Write', runMode: 'agent' as const, model: await app.chosenModel() };
  const sent = must(app.conversation.send({ ...line, provided: { plan }, approve: 'all' }));
  await sent.done;
  const { run } = harness.turn(sent.turn);
  if (!run) throw new Error('Nothing ran.');
  expect(run.answer).toBe('Done.');
  return run;
}
const remove = (path: string): string => `await tools.project.delete_file(${JSON.stringify({ path })});`;
const undo = async ({ runId }: RunState, more: object = {}): Promise<UndoReport> =>
  must(await harness.app.undo.undo({ sessionId: harness.sessionId, runId, ...more }));
const undoStates = (turn = 0) => {
  const { run } = harness.turn(turn);
  return run ? ledgerOf(run).map((entry) => [entry.target, entry.undo]) : [];
};

describe('[UNDO-run] the undo of a run', () => {
  it('[UNDO-kept] restores every file: changed, edited twice, created, moved and in new folders', async () => {
    put('a.txt', 'one\r\ntwo\r\n');
    put('old/b.txt', 'b');
    put('empty', '');
    const run = await wrote(
      edit('a.txt', 'two', '2'),
      write('a.txt', 'all new'),
      call('create_directory', { path: 'new/deep' }),
      write('new/deep/c.txt', 'c'),
      move('old/b.txt', 'new/b.txt'),
      edit('new/b.txt', 'b', 'changed'),
      write('empty', 'full'),
    );
    expect(undoStates().map(([, state]) => state)).toEqual(Array(7).fill('possible'));
    const report = await undo(run);
    expect(report.refused).toEqual([]);
    expect(report.undone.map(({ result }) => result)).toEqual([
      'restored',
      'restored',
      'moved',
      'deleted',
      'deleted',
      'restored',
      'restored',
    ]);
    expect(text('a.txt')).toBe('one\r\ntwo\r\n');
    expect(text('old/b.txt')).toBe('b');
    expect(text('empty')).toBe('');
    expect(existsSync(at('new'))).toBe(false);
    expect(undoStates().map(([, state]) => state)).toEqual(Array(7).fill('done'));
    const after = harness.turn(0).run;
    expect([after?.status, after?.summaryHash]).toEqual([run.status, run.summaryHash]);
    expect(await undo(run)).toMatchObject({ undone: [], refused: [] });
  });

  it('moves a folder back with the files written in it', async () => {
    put('src/a.ts', 'a');
    const run = await wrote(
      edit('src/a.ts', 'a', 'a1'),
      move('src', 'lib'),
      write('lib/a.ts', 'a2'),
      write('lib/b.ts', 'b'),
    );
    expect((await undo(run)).refused).toEqual([]);
    expect(text('src/a.ts')).toBe('a');
    expect(existsSync(at('lib'))).toBe(false);
    expect(readdirSync(at('src'))).toEqual(['a.ts']);
  });

  it('[UNDO-changed] shows the change of a file whose folder the run moved, and leaves both as they are', async () => {
    put('src/a.txt', 'a\n');
    put('b.txt', 'b\n');
    const run = await wrote(write('src/a.txt', 'A\n'), move('src', 'lib'), write('b.txt', 'B\n'));
    put('lib/a.txt', 'mine\n');
    const { undone, refused } = await undo(run);
    expect(undone).toEqual([]);
    const first = refused.find(({ target }) => target === 'src/a.txt');
    expect(first?.reason).toContain('lib/a.txt was changed after the run wrote it');
    expect(first?.diff).toContain('-A\n+mine\n');
    const partial = await undo(run, { partial: true });
    expect(partial.undone.map(({ target }) => target)).toEqual(['b.txt']);
    expect([text('lib/a.txt'), existsSync(at('src'))]).toEqual(['mine\n', false]);
  });

  it('[UNDO-changed] moves nothing back with a folder that the run did not move', async () => {
    put('src/a.ts', 'a');
    put('src/deep/c.ts', 'c');
    const run = await wrote(
      call('create_directory', { path: 'src/made' }),
      move('src', 'lib'),
      move('lib/deep', 'lib/low'),
      write('lib/b.ts', 'b'),
      remove('lib/a.ts'),
    );
    for (const name of ['1', '2', '3', '4']) put(`lib/low/mine${name}.txt`, 'mine');
    const { undone, refused } = await undo(run);
    expect(undone).toEqual([]);
    const reasonFor = (wanted: string) => refused.find(({ target }) => target === wanted)?.reason;
    expect(reasonFor('lib/deep → lib/low')).toMatch(
      /^lib\/low\/mine1\.txt, lib\/low\/mine2\.txt, lib\/low\/mine3\.txt, 1 more came into the folder/,
    );
    rmSync(at('lib/low'), { recursive: true });
    put('lib/low/c.ts', 'c');
    put('lib/made/mine.txt', 'mine');
    const again = await undo(run);
    expect(again.undone).toEqual([]);
    expect(again.refused.find(({ target }) => target === 'src → lib')?.reason).toContain(
      'lib/made/mine.txt came into the folder after the run moved it',
    );
    expect(text('lib/made/mine.txt')).toBe('mine');
    rmSync(at('lib/made/mine.txt'));
    expect((await undo(run)).refused).toEqual([]);
    expect([readdirSync(at('src')), text('src/deep/c.ts'), existsSync(at('lib'))]).toEqual([
      ['a.ts', 'deep'],
      'c',
      false,
    ]);
  });

  it('[UNDO-system] is not stopped by what a file manager put into a folder that the run moved or made', async () => {
    put('src/a.ts', 'a');
    const run = await wrote(move('src', 'lib'), call('create_directory', { path: 'made' }));
    for (const name of ['.DS_Store', 'Thumbs.db', 'Desktop.ini']) {
      put(`lib/${name}`, 'of the system');
      put(`made/${name}`, 'of the system');
    }
    put('made/mine.txt', 'mine');
    const used = await undo(run);
    expect(used.refused).toMatchObject([{ target: 'made' }]);
    expect(readdirSync(at('made')).sort()).toEqual(['.DS_Store', 'Desktop.ini', 'Thumbs.db', 'mine.txt']);
    rmSync(at('made/mine.txt'));
    expect((await undo(run)).refused).toEqual([]);
    expect([existsSync(at('lib')), existsSync(at('made')), text('src/a.ts')]).toEqual([false, false, 'a']);
  });

  it('[UNDO-changed] leaves a file as it is while the folder that it was in cannot move back', async () => {
    put('src/a.txt', 'a\n');
    const run = await wrote(write('src/a.txt', 'A\n'), move('src', 'lib'));
    put('src/a.txt', 'A\n');
    const { undone, refused } = await undo(run, { partial: true });
    expect([undone, refused.map(({ target }) => target)]).toEqual([[], ['src → lib', 'src/a.txt']]);
    expect([text('src/a.txt'), text('lib/a.txt')]).toEqual(['A\n', 'A\n']);
  });

  it('[UNDO-changed] undoes nothing when a file has changed since, shows the change, and with partial the others', async () => {
    put('a.txt', 'a\n');
    put('b.txt', 'b\n');
    const run = await wrote(write('a.txt', 'A\n'), write('b.txt', 'B\n'), write('c.txt', 'C\n'));
    put('b.txt', 'mine\n');
    const refused = await undo(run);
    expect(refused.undone).toEqual([]);
    expect(refused.refused).toMatchObject([{ target: 'b.txt' }]);
    expect(refused.refused[0]?.reason).toContain('b.txt was changed after the run wrote it');
    expect(refused.refused[0]?.diff).toContain('-B\n+mine\n');
    expect([text('a.txt'), text('b.txt'), text('c.txt')]).toEqual(['A\n', 'mine\n', 'C\n']);
    const partial = await undo(run, { partial: true });
    expect(partial.undone.map(({ target }) => target)).toEqual(['c.txt', 'a.txt']);
    expect(partial.refused.map(({ target }) => target)).toEqual(['b.txt']);
    expect([text('a.txt'), text('b.txt'), existsSync(at('c.txt'))]).toEqual(['a\n', 'mine\n', false]);
  });

  it('[UNDO-changed] skips a file that someone changed between two writes of the run', async () => {
    put('a.txt', 'a');
    const first = await wrote(write('a.txt', 'b'));
    put('a.txt', 'mine');
    const report = await undo(first, { partial: true });
    expect(report).toMatchObject({ undone: [], refused: [{ target: 'a.txt' }] });
    unlinkSync(at('a.txt'));
    expect((await undo(first)).refused[0]?.reason).toContain('a.txt was deleted');
    expect(existsSync(at('a.txt'))).toBe(false);
  });

  it('[UNDO-write] undoes one write, and refuses one that a later write covers', async () => {
    put('a.txt', 'a');
    const run = await wrote(write('a.txt', 'b'), write('a.txt', 'c'), write('d.txt', 'd'));
    const [one, two, three] = run.writes.map(({ callId }) => callId);
    expect((await undo(run, { write: one })).refused).toMatchObject([{ callId: one }]);
    expect((await undo(run, { write: three })).undone).toMatchObject([{ callId: three, result: 'deleted' }]);
    expect((await undo(run, { write: two })).undone).toMatchObject([{ callId: two, result: 'restored' }]);
    expect(text('a.txt')).toBe('b');
    expect((await undo(run, { write: two })).refused[0]?.reason).toContain('undone already');
    expect((await undo(run)).undone).toMatchObject([{ callId: one }]);
    expect(text('a.txt')).toBe('a');
    const unknown = await harness.app.undo.undo({
      sessionId: harness.sessionId,
      runId: run.runId,
      write: 'x',
    });
    expect(unknown).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });

  it('[UNDO-kinds] restores bytes, permission bits, a linked file and one with two names', async () => {
    const bytes = Buffer.from([0xff, 0, 1, 2, 0xfe]);
    put('image.bin', bytes);
    put('tool.sh', '#!/bin/sh\n');
    chmodSync(at('tool.sh'), 0o4755);
    put('real.txt', 'real');
    symlinkSync('real.txt', at('link.txt'));
    put('one.txt', 'shared');
    linkSync(at('one.txt'), at('two.txt'));
    put('bom.txt', '\uFEFFbom\r\n');
    const run = await wrote(
      ...['image.bin', 'tool.sh', 'link.txt', 'one.txt', 'bom.txt'].map((path) => write(path, 'x')),
    );
    expect((await undo(run)).refused).toEqual([]);
    expect(readFileSync(at('image.bin'))).toEqual(bytes);
    expect(text('tool.sh')).toBe('#!/bin/sh\n');
    expect(statSync(at('tool.sh')).mode & 0o7777).toBe(0o4755);
    expect(lstatSync(at('link.txt')).isSymbolicLink()).toBe(true);
    expect([text('real.txt'), text('one.txt'), text('two.txt')]).toEqual(['real', 'shared', 'shared']);
    expect(text('bom.txt')).toBe('\uFEFFbom\r\n');
  });

  it('[UNDO-kinds] skips a path that became a link out of the project, and a folder in use', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'patina-outside-'));
    writeFileSync(join(outside, 'secret'), 'b');
    put('a.txt', 'a');
    const run = await wrote(write('a.txt', 'b'), call('create_directory', { path: 'd' }));
    unlinkSync(at('a.txt'));
    symlinkSync(join(outside, 'secret'), at('a.txt'));
    put('d/mine.txt', 'mine');
    const report = await undo(run, { partial: true });
    expect(report.undone).toEqual([]);
    expect(report.refused.map(({ target }) => target).sort()).toEqual(['a.txt', 'd']);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('b');
    expect(text('d/mine.txt')).toBe('mine');
    rmSync(outside, { recursive: true });
  });

  it('[UNDO-impossible] says why when the previous content could not be stored, and writes all the same', async () => {
    put('huge.bin', '');
    truncateSync(at('huge.bin'), 65 * 1024 * 1024);
    const run = await wrote(write('huge.bin', 'small'));
    expect(text('huge.bin')).toBe('small');
    const [entry] = ledgerOf(run);
    expect(entry).toMatchObject({ undo: 'impossible', obstacle: 'too-large' });
    expect((await undo(run)).refused[0]?.reason).toContain('larger than 64 MB');
  });

  it('[DEL-undo] restores deleted files with their bytes and permissions, also after other writes to them', async () => {
    const bytes = Buffer.from([0, 1, 255, 254]);
    put('a.txt', 'a\r\n');
    put('deep/b.bin', bytes);
    chmodSync(at('deep/b.bin'), 0o750);
    put('c.txt', 'before');
    const run = await wrote(remove('a.txt'), remove('deep/b.bin'), write('c.txt', 'after'), remove('c.txt'));
    expect(['a.txt', 'deep/b.bin', 'c.txt'].some((path) => existsSync(at(path)))).toBe(false);
    expect(undoStates().map(([, state]) => state)).toEqual(Array(4).fill('possible'));
    const diff = must(await harness.app.undo.diff({ sessionId: harness.sessionId, runId: run.runId }));
    expect(diff.files.map(({ path, change, withoutLines }) => [path, change, withoutLines])).toEqual([
      ['a.txt', 'deleted', undefined],
      ['c.txt', 'deleted', undefined],
      ['deep/b.bin', 'deleted', 'binary'],
    ]);
    const report = await undo(run);
    expect(report.refused).toEqual([]);
    expect(report.undone.map(({ result }) => result)).toEqual(Array(4).fill('restored'));
    expect([text('a.txt'), text('c.txt')]).toEqual(['a\r\n', 'before']);
    expect(readFileSync(at('deep/b.bin')).equals(bytes)).toBe(true);
    expect(statSync(at('deep/b.bin')).mode & 0o777).toBe(0o750);
  });

  it('[DEL-undo] skips a file that exists again, and says that a file over 64 MB cannot be restored', async () => {
    put('a.txt', 'old');
    put('huge.bin', '');
    truncateSync(at('huge.bin'), 65 * 1024 * 1024);
    const run = await wrote(remove('a.txt'), remove('huge.bin'));
    expect(ledgerOf(run)[1]).toMatchObject({ undo: 'impossible', obstacle: 'too-large' });
    put('a.txt', 'new');
    const report = await undo(run, { partial: true });
    expect(report.undone).toEqual([]);
    expect(report.refused.map(({ reason }) => reason).join()).toContain('a.txt exists again');
    expect(text('a.txt')).toBe('new');
  });

  it('[UNDO-impossible] reports missing or damaged saved content, and undoes nothing', async () => {
    put('a.txt', 'a');
    put('b.txt', 'b');
    const run = await wrote(write('a.txt', 'A'), write('b.txt', 'B'));
    const saved = execFileSync('grep', ['-rlx', 'b', join(harness.home, 'undo')], {
      encoding: 'utf8',
    }).trim();
    chmodSync(saved, 0o600);
    writeFileSync(saved, 'c');
    expect((await undo(run)).refused[0]?.reason).toContain('damaged');
    unlinkSync(saved);
    expect((await undo(run)).refused[0]?.reason).toContain('no longer kept');
    expect([text('a.txt'), text('b.txt')]).toEqual(['A', 'B']);
  });

  it('[UNDO-atomic] is rolled back when a later file cannot be written', async () => {
    put('a.txt', 'a');
    put('b.txt', 'b');
    const run = await wrote(write('a.txt', 'A'), write('b.txt', 'B'));
    const deny = { allow: ['mcp://filesystem.*'], deny: ['mcp://filesystem.write_file?path=a.txt'] };
    writeFileSync(at('.patina/capabilities.json'), JSON.stringify(deny));
    const report = await undo(run);
    expect(report.undone).toEqual([]);
    expect(report.refused).toMatchObject([{ target: 'a.txt' }]);
    expect([text('a.txt'), text('b.txt')]).toEqual(['A', 'B']);
    expect(undoStates()).toEqual([
      ['a.txt', 'possible'],
      ['b.txt', 'possible'],
    ]);
    const partial = await undo(run, { partial: true });
    expect(partial.undone).toMatchObject([{ target: 'b.txt' }]);
    expect([text('a.txt'), text('b.txt')]).toEqual(['A', 'b']);
  });

  it('[UNDO-atomic] names the files that it had changed when it cannot be recorded further', async () => {
    put('a.txt', 'a');
    put('b.txt', 'b');
    const run = await wrote(write('a.txt', 'A'), write('b.txt', 'B'));
    const { log, undo: undos } = harness.app;
    const { append } = log;
    const full = err(appError('HOST', 'STORAGE', 'The disk is full.', { hint: 'Free some space.' }));
    const appending = vi.spyOn(log, 'append').mockImplementation((id, facts) => {
      return facts.some(({ type }) => type === 'write-undone') ? full : append(id, facts);
    });
    const stopped = await undos.undo({ sessionId: harness.sessionId, runId: run.runId });
    appending.mockRestore();
    expect(stopped).toMatchObject({
      ok: false,
      error: { message: 'The disk is full. Undone until then: b.txt.', hint: 'Free some space.' },
    });
    expect([text('a.txt'), text('b.txt')]).toEqual(['A', 'b']);
    expect((await undo(run)).undone.map(({ target }) => target)).toEqual(['b.txt', 'a.txt']);
    expect([text('a.txt'), text('b.txt')]).toEqual(['a', 'b']);
  });
});

describe('[UNDO-again] a run whose write was undone', () => {
  it('repeats the write only after asking again', async () => {
    put('a.txt', 'a');
    const run = await wrote(write('a.txt', 'b'));
    await undo(run);
    const { app, sessionId } = harness;
    const refused = harness.next('write-refused');
    must(app.runs.rerun({ sessionId, turn: 0, approve: 'none' }));
    await refused;
    must(app.conversation.stop(sessionId, 0));
    expect(text('a.txt')).toBe('a');
    expect(harness.turn(0).run?.refusals).toMatchObject([{ target: 'a.txt' }]);
  });
});

it('[UNDO-running] refuses a run that waits for the user', async () => {
  const { app, sessionId } = harness;
  const plan = planOf([scriptNode('work', `${write('a.txt', 'b')} return { summary: 'written' };`)]);
  const asked = harness.next('approval-requested');
  const line = { sessionId, text: 'Write', runMode: 'agent' as const, model: await app.chosenModel() };
  const sent = must(app.conversation.send({ ...line, provided: { plan }, approve: 'ask' }));
  await asked;
  const runId = harness.turn(0).run?.runId ?? '';
  const refused = await app.undo.undo({ sessionId, runId });
  expect(refused).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
  must(app.conversation.stop(sessionId, sent.turn));
  await sent.done;
  expect(await app.undo.undo({ sessionId, runId })).toMatchObject({ ok: true, value: { undone: [] } });
});

describe('[UNDO-routed] a line that asks to undo', () => {
  it('is a command on the newest run that wrote, asks once and undoes it', async () => {
    put('a.txt', 'a');
    expect(
      (await harness.app.lines.preview('undo that', { state: harness.state(), ui: true })).action.type,
    ).toBe('continue-with-llm');
    await wrote(write('a.txt', 'first'));
    await wrote(write('a.txt', 'second'), write('b.txt', 'b'));
    const asked = await harness.say('undo that');
    expect(asked.route?.action).toMatchObject({ type: 'ask-clarifying-question', commandId: 'UndoRun' });
    expect(text('a.txt')).toBe('second');
    await harness.say('yes');
    expect([text('a.txt'), existsSync(at('b.txt'))]).toEqual(['first', false]);
    await harness.say('undo the last run');
    await harness.say('undo it');
    expect(text('a.txt')).toBe('a');
    for (const other of ['undo the rename in a.ts', 'how do I undo that in git?', 'undo that']) {
      const { action } = await harness.app.lines.preview(other, { state: harness.state(), ui: true });
      expect(action.type, other).toBe('continue-with-llm');
    }
  });
});

describe('[UNDO-newest] “undo” alone', () => {
  const settings = () => harness.app.settings.get();
  const modeOf = () => harness.app.plane.modeOf(harness.state()).key;

  it('undoes the newest command: theme, mode, run mode, title, one after another', async () => {
    const before = { theme: settings().theme, mode: settings().mode };
    await harness.say('dark mode');
    await harness.say('switch to ddr authoring mode');
    await harness.say('/run-mode agent');
    expect([settings().theme, modeOf(), settings().mode]).toEqual(['dark', 'ddr_authoring', 'agent']);
    await harness.say('undo');
    expect([modeOf(), settings().mode]).toEqual(['ddr_authoring', before.mode]);
    await harness.say('/undo');
    expect([settings().theme, modeOf()]).toEqual(['dark', 'general']);
    await harness.say('undo that');
    expect(settings().theme).toBe(before.theme);
    const calls = harness.model.chats().length;
    for (const line of ['undo', '/undo', 'Undo.']) {
      const { route } = await harness.say(line);
      expect(route?.action, line).toMatchObject({
        type: 'ask-clarifying-question',
        questionText: '“Undo” has nothing to act on now.',
        options: ['Leave it'],
      });
    }
    const that = await harness.app.lines.preview('undo that', { state: harness.state(), ui: true });
    expect(that.action.type).toBe('continue-with-llm');
    expect(harness.model.chats()).toHaveLength(calls);
  });

  it('asks before it undoes writes, and undoes a newer command first', async () => {
    put('a.txt', 'a');
    await wrote(write('a.txt', 'b'));
    await harness.say('dark mode');
    await harness.say('undo');
    expect([settings().theme, text('a.txt')]).toEqual(['system', 'b']);
    const asked = await harness.say('undo');
    expect(asked.route?.action).toMatchObject({ type: 'ask-clarifying-question', commandId: 'UndoRun' });
    await harness.say('yes');
    expect(text('a.txt')).toBe('a');
  });

  it('finds the writes before a newer command when the line names them', async () => {
    put('a.txt', 'a');
    await wrote(write('a.txt', 'b'));
    await harness.say('dark mode');
    await harness.say('undo the file changes');
    await harness.say('yes');
    expect([settings().theme, text('a.txt')]).toEqual(['dark', 'a']);
  });
});

describe('[UNDO-cli] patina undo', () => {
  const command = async (runId: string, options: UndoOptions, json = true) => {
    let out = '';
    const terminal = { json, out: (part: string) => void (out += part), log: () => undefined } as never;
    const code = await undoCommand(harness.app, terminal, runId, options);
    return { code, out };
  };

  it('prints what it undid and what it refused, and exits with 1 for a refusal', async () => {
    put('a.txt', 'a\n');
    const { runId, writes } = await wrote(
      write('a.txt', 'A\n'),
      write('b.txt', 'B\n'),
      write('c.txt', 'C\n'),
    );
    const [, second] = writes;
    const diff = await command(runId, { diff: true }, false);
    expect(diff.out).toContain('changed: a.txt (+1 −1)\n--- a/a.txt\n+++ b/a.txt\n');
    expect(text('a.txt')).toBe('A\n');
    put('c.txt', 'mine\n');
    const refused = await command(runId, {});
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ runId, undone: [], refused: [{ target: 'c.txt' }] });
    const one = await command(runId, { write: '1' });
    expect(one.code).toBe(0);
    const undone = [{ callId: second?.callId, target: 'b.txt', result: 'deleted' }];
    expect(JSON.parse(one.out)).toEqual({ runId, undone, refused: [] });
    const partial = await command(runId, { partial: true }, false);
    expect(partial.code).toBe(1);
    expect(partial.out).toMatch(/^restored: a\.txt\nnot undone: c\.txt\n {2}c\.txt was changed/);
    expect((await command(runId, { write: '9' })).code).toBe(1);
    expect((await command('run_x', {})).out).toContain('NOT_FOUND');
  });
});

describe('[UNDO-diff] the diff of a run', () => {
  it('shows each file once, with what all its writes changed', async () => {
    put('a.txt', 'one\ntwo\n');
    put('b.txt', 'b\n');
    const run = await wrote(
      edit('a.txt', 'two', '2'),
      edit('a.txt', 'one', '1'),
      write('c.txt', 'c\n'),
      move('b.txt', 'd.txt'),
    );
    const place = { sessionId: harness.sessionId, runId: run.runId };
    const { files, others } = must(await harness.app.undo.diff(place));
    expect(others).toBe(0);
    expect(files.map(({ path, change, added, removed }) => [path, change, added, removed])).toEqual([
      ['a.txt', 'changed', 2, 2],
      ['c.txt', 'created', 1, 0],
      ['d.txt', 'moved', 0, 0],
    ]);
    expect(files[0]?.patch).toContain('-one\n-two\n+1\n+2\n');
    expect(files[2]?.movedFrom).toBe('b.txt');
  });

  it('shows a file that was moved with its folder under both paths', async () => {
    put('src/a.txt', 'a\n');
    put('src/b.txt', 'b\n');
    const run = await wrote(write('src/b.txt', 'B\n'), move('src', 'lib'), write('lib/a.txt', 'A\n'));
    const place = { sessionId: harness.sessionId, runId: run.runId };
    const { files } = must(await harness.app.undo.diff(place));
    expect(files.map(({ path, movedFrom, change, added }) => [path, movedFrom, change, added])).toEqual([
      ['lib', 'src', 'moved', 0],
      ['lib/a.txt', 'src/a.txt', 'moved', 1],
      ['lib/b.txt', 'src/b.txt', 'moved', 1],
    ]);
  });
});
