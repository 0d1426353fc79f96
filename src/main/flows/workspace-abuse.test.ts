import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createBoundWorkspaces, index, template, type BoundWorkspace } from '../../testing/bound-workspace';
import { must } from '../../testing/stored-session';

type Harness = BoundWorkspace;

const { start, end } = createBoundWorkspaces();
afterEach(end);

interface Row {
  readonly name: string;
  readonly harm: (harness: Harness) => void;
  readonly error: object;
}

const finding = (rule: string, file: string, field?: string) => ({
  kind: 'CONFIG',
  code: 'INVALID',
  problems: expect.arrayContaining([
    expect.objectContaining({ rule, file, ...(field !== undefined && { field }) }),
  ]) as unknown,
});

const rows: readonly Row[] = [
  {
    name: 'a folder that was deleted',
    harm: ({ root }) => rmSync(root, { recursive: true }),
    error: finding('folder', '.'),
  },
  {
    name: 'a folder that was given another name',
    harm: ({ root }) => renameSync(root, `${root}-moved`),
    error: finding('folder', '.'),
  },
  {
    name: 'a folder that became a file',
    harm: ({ root }) => {
      rmSync(root, { recursive: true });
      writeFileSync(root, 'not a folder');
    },
    error: finding('folder', '.'),
  },
  {
    name: 'an index that was emptied',
    harm: ({ write }) => write(index, ''),
    error: finding('json', index),
  },
  {
    name: 'a byte order mark, as some editors write one',
    harm: ({ write }) => write(template, '\uFEFFThe text.'),
    error: finding('bom', template),
  },
  {
    name: 'a byte order mark in JSON',
    harm: ({ root, write }) => write(index, `\uFEFF${readFileSync(join(root, index), 'utf8')}`),
    error: finding('bom', index),
  },
  {
    name: 'a name that is composed otherwise than it is written',
    harm: ({ pack }) => pack({ context: ['context/docs/cafe\u0301.md'] }),
    error: finding('path', 'prompts/packs/default.json', 'context'),
  },
  {
    name: 'twins that differ in capital letters',
    harm: ({ write, pack }) => {
      write('context/docs/Patina.md', 'The other twin.');
      pack({ context: ['context/docs/patina.md', 'context/docs/Patina.md'] });
    },
    error: finding('case', 'prompts/packs/default.json', 'context'),
  },
  {
    name: 'a group of context that nobody wrote',
    harm: ({ pack }) => pack({ context: ['group:gone'] }),
    error: finding('context', 'prompts/packs/default.json', 'context'),
  },
  {
    name: 'a pack of another id than the index gives it',
    harm: ({ pack }) => pack({ id: 'other' }),
    error: finding('id', 'prompts/packs/default.json', 'id'),
  },
  {
    name: 'an image that is a text',
    harm: ({ root, write, pack }) => {
      mkdirSync(join(root, 'context/images'), { recursive: true });
      write('context/images/a.png', 'no image');
      pack({ context: ['context/images/a.png'] });
    },
    error: finding('image', 'context/images/a.png'),
  },
  {
    name: 'a template for a variable that was renamed',
    harm: ({ write }) => write(template, 'Write {{tongue}}.'),
    error: finding('variable', template, 'tongue'),
  },
  {
    name: 'a list of allowed workspaces that is no JSON',
    harm: ({ home }) => writeFileSync(join(home, 'workspaces.json'), '{"workspaces":'),
    error: { kind: 'CONFIG', code: 'INVALID', problems: [expect.objectContaining({ rule: 'json' })] },
  },
  {
    name: 'a list of allowed workspaces with a folder that depends on where one stands',
    harm: ({ home }) => writeFileSync(join(home, 'workspaces.json'), '{"workspaces":{"own":"../elsewhere"}}'),
    error: {
      kind: 'CONFIG',
      code: 'INVALID',
      problems: [expect.objectContaining({ field: 'workspaces.own' })],
    },
  },
  {
    name: 'a name that was taken off the list',
    harm: ({ home }) => writeFileSync(join(home, 'workspaces.json'), '{"workspaces":{}}'),
    error: { kind: 'POLICY', code: 'CAPABILITY_DENIED' },
  },
  {
    name: 'a place for snapshots that cannot be written',
    harm: ({ home, write }) => {
      rmSync(join(home, 'workspace-snapshots'), { recursive: true });
      writeFileSync(join(home, 'workspace-snapshots'), 'in the way');
      write(template, 'New words.');
    },
    error: { kind: 'HOST', code: 'STORAGE' },
  },
];

describe('changes to a workspace while it is bound', () => {
  it.each(rows)(
    '[P3-Z-abuse] $name: the sync is refused with its own error and nothing changes',
    async ({ harm, error }) => {
      const harness = await start({ replies: [{ text: 'One.' }] });
      harm(harness);
      const refused = await harness.call({ op: 'sync' });
      expect(refused).toMatchObject({ ok: false, error });
      const { active, pending, waiting, sync, binding } = harness.state().workspace;
      expect({ active, pending, waiting, status: sync?.status, name: binding.workspace }).toEqual({
        active: harness.active,
        pending: null,
        waiting: null,
        status: 'rejected',
        name: 'own',
      });
      await harness.say('hello there');
      const { messages } = harness.model.chats()[0]?.json as unknown as { messages: { content: string }[] };
      expect(messages[0]?.content).toContain('The good text.');
    },
  );

  it('[P3-Z-abuse] Windows line endings are accepted, and do not reach the model', async () => {
    const { write, call, say, model } = await start({ replies: [{ text: 'One.' }] });
    write(template, 'First line.\r\nSecond line.\r\n');
    write('tools/catalogs/reading.json', '{\r\n  "id": "reading",\r\n  "tools": ["agent_*"]\r\n}\r\n');
    must(await call({ op: 'sync' }));
    must(await call({ op: 'apply' }));
    await say('hello there');
    expect(model.chats()[0]?.text).toContain('First line.\\nSecond line.');
    expect(model.chats()[0]?.text).not.toContain('\\r');
  });

  it('[P3-Z-abuse] an index that is edited between sync and apply is not applied', async () => {
    const { write, call, state } = await start();
    write(template, 'What was synced.');
    const pending = must(await call({ op: 'sync' })).state.pending?.hash;
    write(index, '{');
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(state().workspace.active).toBe(pending);
  });

  it('[P3-Z-abuse] a missing version is refused, and the binding stays', async () => {
    const { call, state, active } = await start();
    const gone = 'a'.repeat(64);
    const refused = await call({ op: 'sync', workspace: 'own', version: gone });
    expect(refused).toMatchObject({ error: { kind: 'HOST', code: 'NOT_FOUND' } });
    expect(await call({ op: 'rollback', hash: gone })).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(state().workspace).toMatchObject({ active, binding: { workspace: 'own', version: 'latest' } });
  });

  it('[P3-Z-abuse] two concurrent applies adopt one snapshot once', async () => {
    const { write, call, state } = await start();
    write(template, 'Wanted by two.');
    must(await call({ op: 'sync' }));
    const both = await Promise.all([
      call({ op: 'apply', when: 'immediate_if_idle' }),
      call({ op: 'apply', when: 'immediate_if_idle' }),
    ]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(both[1]).toMatchObject({ error: { kind: 'HOST', code: 'STATE' } });
    const { history, active } = state().workspace;
    expect(history.filter(({ hash }) => hash === active)).toHaveLength(1);
  });

  it('[P3-Z-abuse] two concurrent syncs keep the finding of the later one, without an error', async () => {
    const { write, call, state } = await start();
    write(template, 'Read by two.');
    must(await call({ op: 'sync' }));
    const both = await Promise.all([call({ op: 'sync' }), call({ op: 'sync' })]);
    expect(both.every(({ ok }) => ok)).toBe(true);
    expect(state().workspace.pending).not.toBeNull();
  });

  it('[P3-Z-abuse] a sync during a reply changes nothing of it, and a request for "now" is adopted when it fails', async () => {
    const fault = { type: 'cut', after: 1 } as const;
    const { write, call, state, send, model, active } = await start({
      replies: [{ text: ['One. ', 'Two.'], gated: true, fault }],
    });
    const line = await send('hello there');
    model.release(1);
    write(template, 'Found during the reply.');
    const pending = must(await call({ op: 'sync' })).state.pending?.hash;
    must(await call({ op: 'apply', when: 'immediate_if_idle' }));
    expect(state().workspace).toMatchObject({ active, waiting: { hash: pending } });
    model.release();
    await line.done;
    await Promise.resolve();
    expect(state().workspace).toMatchObject({ active: pending, waiting: null });
  });
});
