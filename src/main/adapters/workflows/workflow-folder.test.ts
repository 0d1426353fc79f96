import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthoringHarness } from '../../../testing/authoring-harness';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { createTempTree } from '../../../testing/temp-tree';
import { canonicalHash } from '../../../core/tools/canonical-hash';

const bundled = sampleWorkflow();
const decision = { by: 'Ada', at: '2026-03-04T05:06:07+01:00', reason: 'Why', ddr: 'WFL-001' };
const next = sampleWorkflow({ Title: 'Second', Version: '1.0.1' });
const [first, second] = [canonicalHash(bundled), canonicalHash(next)];

let harness: ReturnType<typeof createAuthoringHarness>;
afterEach(() => harness.tree.remove());
const start = (files = {}) => (harness = createAuthoringHarness({ bundled: [bundled], files }));

const titles = () => {
  const found = harness.openStore().published();
  return found.ok ? found.value.rows.map(({ definition }) => definition.Title) : [];
};

describe('workflows in a folder', () => {
  it('[T6-8-7-store] a published one replaces a bundled one, and every version is kept', async () => {
    start();
    expect(titles()).toEqual(['Create a new DDR']);
    expect(await harness.store.publish(next, first, decision)).toMatchObject({
      ok: true,
      value: { hash: second },
    });
    expect(titles()).toEqual(['Second']);
    expect(harness.openStore().definition(first)).toMatchObject({ value: { Version: '1.0.0' } });
    expect(harness.openStore().definition(second)).toMatchObject({ value: { Version: '1.0.1' } });
    expect(harness.openStore().definition('0'.repeat(64))).toEqual({ ok: true, value: null });
  });

  it('[T6-8-9-removal] a removed one is gone together with the bundled one, and its history stays', async () => {
    start();
    await harness.store.publish(next, first, decision);
    expect(await harness.store.remove('create_ddr', first, decision)).toMatchObject({ ok: false });
    expect(await harness.store.remove('create_ddr', second, decision)).toEqual({ ok: true, value: null });
    expect(titles()).toEqual([]);
    const history = harness.openStore().history('create_ddr');
    expect(history.ok && history.value.map(({ what }) => what)).toEqual([
      ...['bundled', 'published', 'removed'],
    ]);
  });

  it('[T6-8-7-store] of two concurrent changes, one is written and the other is a conflict', async () => {
    start();
    const [one, two] = [harness.openStore(), harness.openStore()];
    const draft = { workflowId: 'create_ddr', fields: {}, basedOn: null };
    const drafts = await Promise.all([one.writeDraft(draft, null), two.writeDraft({ ...draft }, null)]);
    expect(drafts.map(({ ok }) => ok).sort()).toEqual([false, true]);
    const both = await Promise.all([
      one.publish(next, first, decision),
      two.publish({ ...next, Version: '3.0.0' }, first, decision),
    ]);
    expect(both.find(({ ok }) => !ok)).toMatchObject({ error: { kind: 'HOST', code: 'STATE' } });
    const history = harness.openStore().history('create_ddr');
    expect(history.ok && history.value.map(({ what }) => what)).toEqual(['bundled', 'published']);
  });

  it('[T6-8-1-startup] an invalid workflow is reported with file and field, and hides no other', () => {
    const row = { what: 'published', definition: next, hash: second, decision };
    const outside = createTempTree({ 'evil.json': JSON.stringify({ schema: 1, rows: [row] }) });
    start({
      'workflows/published/create_ddr.json': JSON.stringify({ schema: 1, rows: [row] }),
      'workflows/published/broken.json': '{',
      'workflows/published/other_name.json': JSON.stringify({ schema: 1, rows: [row] }),
      'workflows/published/bad_field.json': JSON.stringify({
        schema: 1,
        rows: [{ ...row, definition: { ...next, Version: 'two' } }],
      }),
    });
    symlinkSync(path.join(outside.root, 'evil.json'), path.join(harness.folder, 'published/linked_one.json'));
    const found = harness.store.published();
    expect(titles()).toEqual(['Second']);
    const problems = found.ok ? found.value.problems : [];
    expect(problems.map(({ file, field, rule }) => [path.basename(file), field, rule]).sort()).toEqual([
      ['bad_field.json', 'rows.0.definition.Version', 'schema'],
      ['broken.json', '', 'json'],
      ['linked_one.json', '', 'link'],
      ['other_name.json', 'WorkflowId', 'file-name'],
    ]);
    outside.remove();
  });

  it('[T6-8-1-startup] a folder that cannot be listed is reported, and drops only what was published in it', () => {
    start({ 'workflows/published': 'a file in place of the folder' });
    const found = harness.store.published();
    expect(titles()).toEqual(['Create a new DDR']);
    expect(found.ok && found.value.problems).toEqual([
      expect.objectContaining({
        file: path.join(harness.folder, 'published'),
        rule: 'readable',
        workflowId: null,
        reason: expect.stringContaining('ENOTDIR') as string,
      }),
    ]);
    expect(harness.store.definition(first)).toMatchObject({ ok: true, value: { Version: '1.0.0' } });
  });

  it('[T6-8-7-store] are never written through a link, and an id is never a path', async () => {
    const outside = createTempTree({ 'kept.json': 'untouched' });
    start();
    mkdirSync(harness.folder);
    symlinkSync(outside.root, path.join(harness.folder, 'drafts'));
    const draft = { workflowId: 'kept', fields: {}, basedOn: null };
    expect(await harness.store.writeDraft(draft, null)).toMatchObject({ error: { code: 'STORAGE' } });
    expect(readFileSync(path.join(outside.root, 'kept.json'), 'utf8')).toBe('untouched');
    const hostile = { ...draft, workflowId: '../../kept' };
    await expect(harness.store.writeDraft(hostile, null)).resolves.toMatchObject({ ok: false });
    outside.remove();
  });

  it('[T6-8-8-seed-hash] edited by hand have another hash, whatever the file says', () => {
    const row = { what: 'published', definition: { ...next, Notes: 'edited' }, hash: second, decision };
    start({ 'workflows/published/create_ddr.json': JSON.stringify({ schema: 1, rows: [row] }) });
    const found = harness.store.published();
    expect(found.ok && found.value.rows[0]?.hash).not.toBe(second);
  });

  it('report changes until the listener unsubscribes', async () => {
    start();
    let told = 0;
    const stop = harness.store.onChange(() => (told += 1));
    await harness.store.writeDraft({ workflowId: 'new_one', fields: {}, basedOn: null }, null);
    expect(told).toBeGreaterThan(0);
    stop();
    writeFileSync(path.join(harness.folder, 'drafts/x.json'), '{}');
  });
});
