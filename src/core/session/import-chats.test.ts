import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { SessionFile } from '#shared/session-file';
import { turnAt } from '#shared/session-state';
import { activePath } from '#shared/turn-tree';
import { ok } from '#shared/result';
import type { ReadChat } from '../ports/chat-files';
import { askFacts, sampleModel } from '../../testing/sample-session';
import { must, newDatabasePath, openStore } from '../../testing/stored-session';
import { createImporter } from './import-chats';
import { exportSession } from './session-document';
import { createSessionLog } from './session-log';

function openLog() {
  let count = 0;
  const ids = { next: (kind: string): string => `${kind}_${(count += 1)}` };
  const store = openStore(newDatabasePath(), { pid: 1, processAlive: () => false });
  return { log: createSessionLog({ store, ids }), ids };
}

/** Reads prepared conversations instead of a file. */
const reading = (chats: readonly ReadChat[]) =>
  ((_path, onChat) => {
    for (const chat of chats) onChat(chat);
    return Promise.resolve(ok({ source: 'patina', skipped: [] }));
  }) satisfies Parameters<typeof createImporter>[0]['read'];

const answered = (turn: number, place: object = {}): SessionFact[] => {
  const [sent, ...answer] = askFacts({ turn, reply: `reply ${turn}`, outcome: 'done' });
  return [{ ...sent, ...place } as SessionFact, ...answer];
};

const run: readonly SessionFact[] = [
  { type: 'message-sent', turn: 2, text: 'Write it', runMode: 'agent', model: sampleModel, parent: 0 },
  { type: 'run-started', turn: 2, runId: 'run-old', goal: 'Write it' },
  {
    type: 'write-intended',
    turn: 2,
    runId: 'run-old',
    nodeId: 'a',
    callId: 'c',
    tool: 'mcp://filesystem.write_file',
    arguments: {},
    hash: 'h',
    undo: { impossible: 'outside' },
  },
  { type: 'run-interrupted', turn: 2, runId: 'run-old' },
];

/** A session with two branches, exported as a file. */
function exported() {
  const { log } = openLog();
  const { id } = must(log.create('/project'));
  must(
    log.append(id, [...answered(0), ...answered(1), ...run, ...answered(3, { parent: 0, regenerates: 1 })]),
  );
  must(
    log.append(id, [
      { type: 'session-renamed', title: 'Mine' },
      { type: 'branch-chosen', turn: 1 },
    ]),
  );
  const text = exportSession(must(log.peek(id)), must(log.events(id)), 'json');
  return { id, original: must(log.peek(id)), file: SessionFile.parse(JSON.parse(text)) };
}

describe('[IMPORT-patina] a session file of Patina', () => {
  it('imports every branch, the position in them, the title and the times', async () => {
    const { id, original, file } = exported();
    const { log, ids } = openLog();
    const report = must(
      await createImporter({ log, ids, read: reading([{ kind: 'patina', file }]) }).run('f'),
    );
    expect(report).toMatchObject({ sessions: 1, turns: 4, present: 0 });
    const state = must(log.peek(id));
    expect(state).toMatchObject({ title: 'Mine', project: null, createdAt: original.createdAt });
    expect(activePath(state).map(({ turn }) => turn)).toEqual(activePath(original).map(({ turn }) => turn));
    expect(
      state.blocks
        .flat()
        .map(({ text, reply, parent, regenerates, at }) => [text, reply?.text, parent, regenerates, at]),
    ).toEqual(
      original.blocks
        .flat()
        .map(({ text, reply, parent, regenerates, at }) => [text, reply?.text, parent, regenerates, at]),
    );
    expect(must(log.replay(id))).toMatchObject({ equal: true, damaged: 0 });
    expect(must(log.search('reply'))).not.toEqual([]);
  });

  it('arrives as history: its runs have ended, and their writes cannot be undone here', async () => {
    const { id, file } = exported();
    const { log, ids } = openLog();
    must(await createImporter({ log, ids, read: reading([{ kind: 'patina', file }]) }).run('f'));
    const imported = turnAt(must(log.peek(id)), 2)?.run;
    expect(imported).toMatchObject({ status: 'cancelled' });
    expect(imported?.runId).not.toBe('run-old');
    expect(JSON.stringify(must(log.events(id)))).not.toContain('"undo"');
    expect(must(log.open(id)).readOnly).toBeNull();
  });

  it('imports what follows a gap', async () => {
    const { id, file } = exported();
    const events = file.events.filter(({ type }, at) => at > 0 && type !== 'reply-extended');
    const { log, ids } = openLog();
    const chat = { kind: 'patina' as const, file: { ...file, events } };
    const report = must(await createImporter({ log, ids, read: reading([chat]) }).run('f'));
    expect(report).toMatchObject({ sessions: 1, turns: 4 });
    const state = must(log.peek(id));
    expect(state).toMatchObject({ title: 'Mine', turnCount: 4 });
    expect(turnAt(state, 3)?.reply?.status).toBe('done');
  });

  it.each([
    ['a line', 'message-sent', 1],
    ['a line that a run answers', 'message-sent', 2],
    ['the first line', 'message-sent', 0],
    ['the beginning of a run', 'run-started', 2],
  ] as const)('imports a session that lost %s, and counts the gap', async (_name, type, turn) => {
    const { id, file } = exported();
    const lost = (event: SessionFile['events'][number]) =>
      event.type === type && 'turn' in event && event.turn === turn;
    const chat = {
      kind: 'patina' as const,
      file: { ...file, events: file.events.filter((event) => !lost(event)) },
    };
    const { log, ids } = openLog();
    const report = must(await createImporter({ log, ids, read: reading([chat]) }).run('f'));
    expect(report).toMatchObject({ turns: 4, skipped: [{ what: 'unreadable event', count: 1 }] });
    const state = must(log.peek(id));
    expect(state.blocks.flat().map((each) => each.unreadable ?? each.turn)).toEqual(
      [0, 1, 2, 3].map((each) => (type === 'message-sent' && each === turn ? true : each)),
    );
    expect([0, 1, 3].map((each) => turnAt(state, each)?.reply?.text)).toEqual([
      'reply 0',
      'reply 1',
      'reply 3',
    ]);
    expect(turnAt(state, 2)?.run).toMatchObject({ status: 'cancelled', writes: [{ callId: 'c' }] });
  });

  it('ends what has no end in the file', async () => {
    const { id, file } = exported();
    const ends = ['reply-ended', 'run-interrupted'];
    const events = file.events.filter(({ type }) => !ends.includes(type));
    const { log, ids } = openLog();
    const chat = { kind: 'patina' as const, file: { ...file, events } };
    must(await createImporter({ log, ids, read: reading([chat]) }).run('f'));
    const state = must(log.peek(id));
    expect(turnAt(state, 1)?.reply).toMatchObject({ status: 'interrupted', text: 'reply 1' });
    expect(turnAt(state, 2)?.run?.status).toBe('failed');
  });

  it('is skipped when it already exists, and a preview changes nothing', async () => {
    const { file } = exported();
    const { log, ids } = openLog();
    const importer = createImporter({ log, ids, read: reading([{ kind: 'patina', file }]) });
    expect(must(await importer.preview('f'))).toMatchObject({ sessions: 1, present: 0 });
    expect(must(log.ids())).toEqual([]);
    must(await importer.run('f'));
    expect(must(await importer.run('f'))).toMatchObject({ sessions: 0, turns: 0, present: 1 });
  });

  it.each([
    [
      'a turn far away',
      (file: SessionFile) => ({
        ...file,
        events: file.events.map((event) =>
          'turn' in event && event.turn === 3 ? { ...event, turn: 9_000_000 } : event,
        ),
      }),
    ],
    [
      'more lost turns than lost events',
      (file: SessionFile) => ({
        ...file,
        events: file.events
          .filter(({ type }) => type !== 'message-sent' && type !== 'reply-started')
          .map((event) => ('turn' in event && event.turn === 3 ? { ...event, turn: 40 } : event)),
      }),
    ],
    [
      'a number far away and a turn to match',
      (file: SessionFile) => ({
        ...file,
        events: file.events.map((event) =>
          'turn' in event && event.turn === 3
            ? { ...event, seq: event.seq + 9_000_000, turn: 8_000_000 }
            : event,
        ),
      }),
    ],
    ['an event of another session', (file: SessionFile) => ({ ...file, id: 'other' })],
    [
      'an event twice',
      (file: SessionFile) => ({
        ...file,
        events: file.events.flatMap((event): SessionFile['events'] =>
          event.type === 'reply-extended' ? [event, event] : [event],
        ),
      }),
    ],
    [
      'a time that no date has',
      (file: SessionFile) => ({ ...file, events: file.events.map((event) => ({ ...event, at: 9e15 })) }),
    ],
    ['no turns', (file: SessionFile) => ({ ...file, events: file.events.slice(0, 1) })],
  ])('is refused with %s, and the error names the field', async (_name, damage) => {
    const { log, ids } = openLog();
    const chat = { kind: 'patina' as const, file: damage(exported().file) };
    const result = await createImporter({ log, ids, read: reading([chat]) }).run('f');
    expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } });
    expect(!result.ok && result.error.message).toMatch(/events/);
    expect(must(log.ids())).toEqual([]);
  });
});

describe('[IMPORT-titles] the title of an imported conversation', () => {
  it.each([
    ['is one line without control characters', 'Lo\u0000cks\nand more', 'Locks'],
    ['is short', `${'word '.repeat(40)}`, `${'word '.repeat(11).trim()}…`],
    ['is that of the first line where the export has none', '', 'What is a mutex?'],
  ])('%s', async (_name, title, expected) => {
    const { log, ids } = openLog();
    const created: SessionFact = { type: 'session-created', title, project: null };
    const line = { ...answered(0)[0], text: 'What is a mutex?\nPlease.' } as SessionFact;
    const facts = [created, line].map((fact) => ({ fact, at: 1 }));
    const read = reading([{ kind: 'chat', id: 'chat', turns: 1, facts }]);
    must(await createImporter({ log, ids, read }).run('f'));
    expect(must(log.summaries({})).map((summary) => summary.title)).toEqual([expected]);
  });
});
