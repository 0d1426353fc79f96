import type { SessionFact } from '#shared/session-event';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../testing/memory-storage';
import { askFacts, sampleHash, sampleModel, sampleUsage } from '../../testing/sample-session';
import { createWindowBridge } from '../../testing/window-bridge';
import { createDrafts } from './drafts';
import { createSessionMirror } from './session-mirror';
import { createCommands, startWindow } from './start-window';
import { createView } from './view-state';

/** A run that wrote these files; without `undo`, its writes cannot be taken back. */
function wrote(turn: number, paths: readonly string[], undo = true): readonly SessionFact[] {
  const run = { turn, runId: `run-${turn}` };
  const tool = 'mcp://filesystem.write_file';
  const before = { project: '/p', before: [{ kind: 'missing' as const, path: 'a' }] };
  const writes = paths.flatMap((path, at): readonly SessionFact[] => {
    const [place, callId] = [{ ...run, nodeId: 'write' }, `call-${turn}-${at}`];
    const args = { path };
    const call = { callId, tool, argumentsPreview: path, outcome: 'done' as const, ms: 1, bytes: 0 };
    return [
      {
        type: 'write-intended',
        ...place,
        callId,
        tool,
        arguments: args,
        hash: sampleHash,
        ...(undo && { undo: before }),
      },
      { type: 'tool-called', ...place, call },
    ];
  });
  return [
    { type: 'message-sent', turn, text: `goal ${turn}`, runMode: 'agent', model: sampleModel },
    { type: 'run-started', ...run, goal: `goal ${turn}` },
    ...writes,
    { type: 'run-ended', ...run, outcome: 'done', answer: 'Done.', usage: sampleUsage },
  ];
}

async function open(...facts: readonly SessionFact[]) {
  const main = createWindowBridge();
  main.addSession('s', [{ type: 'session-created', title: 'Branches', project: '/p' }, ...facts]);
  main.addSession('other', [{ type: 'session-created', title: 'Other', project: '/p' }]);
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  const view = createView();
  const drafts = createDrafts({ storage: createMemoryStorage(), defer: (callback) => callback() });
  const commands = createCommands({ bridge: main.bridge, mirror, view, drafts });
  await startWindow({ mirror, view, drafts, commands }, main.bridge);
  await commands.openSession('s');
  await main.drained();
  const offer = () => view.store.getState().toasts.find(({ text }) => text.includes('written there'));
  const undone = () =>
    main.calls.flatMap(({ name, input }) =>
      name === 'run-undo' ? [input as { readonly runId: string }] : [],
    );
  return { main, commands, view, offer, undone };
}

const branch = [
  ...askFacts({ turn: 0, reply: 'One.', outcome: 'done' }),
  ...wrote(1, ['a.txt', 'b.txt']),
  ...wrote(2, ['b.txt', 'c.txt']),
];

describe('[TREE-left-writes] a branch that wrote files', () => {
  it('is undone only on request, the newest run first, wherever the user is by then', async () => {
    const { commands, offer, undone } = await open(...branch);
    await commands.goBackTo(0);
    expect(offer()).toMatchObject({
      text: '3 files were written there.',
      action: { label: 'Undo the writes' },
    });
    expect(undone()).toEqual([]);
    await commands.openSession('other');
    offer()?.action?.run();
    await expect.poll(undone).toEqual([
      { sessionId: 's', runId: 'run-2' },
      { sessionId: 's', runId: 'run-1' },
    ]);
  });

  it.each([
    ['regenerate', 2, '2 files were written there.'],
    ['sendEdited', 1, '3 files were written there.'],
    ['pickModel', 2, '2 files were written there.'],
    ['chooseBranch', 3, '3 files were written there.'],
    ['undoLast', 3, '3 files were written there.'],
  ] as const)('is left by %s', async (how, turn, text) => {
    const { main, commands, view, offer } = await open(
      ...branch,
      ...askFacts({ turn: 3, reply: 'Four.', outcome: 'done' }).map((fact) =>
        fact.type === 'message-sent' ? { ...fact, parent: 0 } : fact,
      ),
      ...(how === 'undoLast' ? [] : [{ type: 'branch-chosen' as const, turn: 2 }]),
    );
    if (how === 'regenerate') await commands.regenerate(turn);
    else if (how === 'sendEdited') await commands.sendEdited(turn, 'Another goal');
    else if (how === 'pickModel') {
      commands.askOtherModel(turn);
      await commands.pickModel(sampleModel);
    } else if (how === 'chooseBranch') await commands.chooseBranch(turn);
    else {
      await commands.chooseBranch(2);
      await main.drained();
      expect(offer()).toBeUndefined();
      commands.undoLast();
    }
    await expect.poll(() => offer()?.text).toBe(text);
    expect(view.store.getState().failure).toBeNull();
  });

  it('is left without a word when nothing can be undone, or nothing was left', async () => {
    const { commands, offer } = await open(
      ...askFacts({ turn: 0, reply: 'One.', outcome: 'done' }),
      ...wrote(1, ['a.txt'], false),
    );
    await commands.goBackTo(0);
    expect(offer()).toBeUndefined();
    const kept = await open(...wrote(0, ['a.txt']), ...askFacts({ turn: 1, reply: 'Two.', outcome: 'done' }));
    await kept.commands.regenerate(1);
    expect(kept.offer()).toBeUndefined();
  });
});
