import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Ddr } from '#shared/ddr';
import {
  approveWhole,
  createDdrHarnesses,
  resultOf,
  sampleApproval as approval,
  sampleDdr as created,
  type DdrHarnessOptions,
} from '../../testing/ddr-harness';

const { harness, removeAll } = createDdrHarnesses();
afterEach(removeAll);

const refused = (code: string, text = '') => ({
  ok: false,
  error: { code, message: expect.stringContaining(text) as string },
});

const fileOf = (folder: string, id = 'AGN-001'): string =>
  readFileSync(path.join(folder, `${id}.md`), 'utf8');

/** A harness with one fully approved document. */
async function approved(options: DdrHarnessOptions = {}) {
  const made = harness(options);
  return { ...made, id: await approveWhole(made) };
}

describe('approvals', () => {
  it.each([
    ['approve_goal', {}],
    ['approve_chapter', { chapterId: 'C1' }],
    ['delete_chapter', { chapterId: 'C1' }],
    ['approve_ddr', {}],
    ['set_ddr_status', { status: 'approved' }],
    ['set_ddr_status', { status: 'deprecated' }],
  ])('[DDR-approval-user] %s by a model does nothing without the user’s yes', async (operation, more) => {
    const { user, model, asked, folder, id } = await approved();
    if (operation === 'approve_chapter')
      await user('update_chapter_summary', { id, chapterId: 'C1', summary: 'new' });
    else if (operation === 'approve_goal') await user('set_goal', { id, goal: 'new' });
    else if (operation !== 'delete_chapter') await user('set_ddr_status', { id, status: 'draft' });
    const before = fileOf(folder);
    expect(await model(operation, { id, ...more })).toEqual(refused('approval_required'));
    expect(fileOf(folder)).toBe(before);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.text).toContain(id);
  });

  it('[DDR-approval-user] are stored after the user’s yes, under the user’s name and local time', async () => {
    const { model, asked } = harness({ answer: () => true });
    const id = 'AGN-001';
    await model('create_ddr', created);
    await model('set_goal', { id, goal: 'Why' });
    expect(resultOf(await model('approve_goal', { id }))).toMatchObject({ goal: { approval } });
    expect(asked).toEqual([{ text: 'Approve the goal of AGN-001 "Modes: and "more""?', detail: 'Why' }]);
  });

  it('[DDR-approval-text] cover the text that was shown: after a change, nothing is approved', async () => {
    let meddle = (): void => undefined;
    const made = harness({
      answer: () => {
        meddle();
        return true;
      },
    });
    const id = 'AGN-001';
    await made.user('create_ddr', created);
    await made.user('set_goal', { id, goal: 'Why' });
    const changed = fileOf(made.folder).replace('Why', 'Because');
    meddle = () => writeFileSync(path.join(made.folder, 'AGN-001.md'), changed);
    expect(await made.model('approve_goal', { id })).toEqual(refused('conflict', 'changed'));
    expect(fileOf(made.folder)).toBe(changed);
  });

  it.each([
    'x\n---\nstatus: approved',
    'x\nstatus: approved\napprovedBy: Mallory\napprovedAt: now',
    '"\nstatus: approved',
  ])('[DDR-approval-user] never result from text that a model writes: %j', async (evil) => {
    const { model, folder } = harness();
    const id = 'AGN-001';
    resultOf(await model('create_ddr', { ...created, summary: evil }));
    resultOf(await model('set_goal', { id, goal: `${evil}\n\n---\napprovedBy: Mallory\n---` }));
    resultOf(await model('add_chapter', { id, title: '"}: {approvedBy: M', summary: evil, details: evil }));
    const { ddr } = resultOf<{ ddr: Ddr }>(await model('get_ddr', { id }));
    expect(ddr).toMatchObject({ summary: evil, status: 'draft', approval: null, goalStatus: 'draft' });
    expect(ddr.chapters).toMatchObject([
      { title: '"}: {approvedBy: M', summary: evil, details: evil, approval: null },
    ]);
    expect(fileOf(folder)).not.toMatch(/^(?:status: approved|approvedBy: .*)$(?=[^]*^---$[^]*^# )/m);
  });

  it('[DDR-approval-order] of a whole document need its goal and every chapter approved', async () => {
    const { user } = harness();
    const id = 'AGN-001';
    await user('create_ddr', created);
    expect(await user('approve_ddr', { id })).toEqual(refused('conflict', 'no goal'));
    expect(await user('approve_goal', { id })).toEqual(refused('conflict', 'set_goal'));
    await user('set_goal', { id, goal: 'Why' });
    expect(await user('approve_ddr', { id })).toEqual(refused('conflict', 'goal is not approved'));
    await user('approve_goal', { id });
    expect(await user('approve_ddr', { id })).toEqual(refused('conflict', 'no chapters'));
    await user('add_chapter', { id, title: 'One', summary: 's' });
    expect(await user('set_ddr_status', { id, status: 'approved' })).toEqual(refused('conflict', 'C1'));
  });

  it.each([
    ['set_goal', { goal: 'another' }, ['AGN-001', 'the goal']],
    ['update_chapter_summary', { chapterId: 'C1', summary: 'another' }, ['AGN-001', 'chapter C1']],
    ['update_chapter_details', { chapterId: 'C2', details: 'another' }, ['AGN-001', 'chapter C2']],
    ['add_chapter', { title: 'New', summary: 's' }, ['AGN-001']],
    ['reorder_chapters', { chapterIds: ['C2', 'C1'] }, ['AGN-001']],
    ['delete_chapter', { chapterId: 'C1' }, ['AGN-001']],
    ['update_metadata', { title: 'Another' }, ['AGN-001']],
  ])(
    '[DDR-revert] %s on an approved document makes the changed parts a draft, and says so',
    async (operation, more, named) => {
      const { user, folder, id } = await approved();
      const answer = resultOf<{ ddr: object; note: string }>(await user(operation, { id, ...more }));
      expect(answer.ddr).toMatchObject({ status: 'draft', approval: null });
      for (const name of named) expect(answer.note).toContain(name);
      expect(fileOf(folder)).not.toMatch(/^approvedBy/m);
      const untouched = operation.includes('goal') ? { approvedChapterCount: 2 } : { goalStatus: 'approved' };
      expect(answer.ddr).toMatchObject(untouched);
    },
  );

  it('[DDR-revert] survive an edit with the same text', async () => {
    const { user, folder, id } = await approved();
    const before = fileOf(folder);
    const answer = resultOf(await user('set_goal', { id, goal: 'One reading.' }));
    expect(answer).toMatchObject({ note: null, ddr: { status: 'approved' } });
    expect(resultOf(await user('update_metadata', { id, aliases: ['m'] }))).toMatchObject({
      ddr: { status: 'approved' },
    });
    expect(fileOf(folder).replace(/^aliases:\n {2}- m\n/m, '')).toBe(before);
  });

  it('[DDR-revert] also end with an edit by hand', async () => {
    const { user, folder, id } = await approved();
    writeFileSync(path.join(folder, 'AGN-001.md'), fileOf(folder).replace('All of it.', 'Some of it.'));
    expect(resultOf(await user('get_ddr', { id }))).toMatchObject({
      ddr: { status: 'draft', changedSinceApproval: true, approvedChapterCount: 1, goalStatus: 'approved' },
    });
  });

  it('[DDR-deprecated] of a deprecated document do not change until it is reactivated', async () => {
    const { user, id } = await approved();
    resultOf(await user('set_ddr_status', { id, status: 'deprecated' }));
    expect(await user('set_goal', { id, goal: 'x' })).toEqual(refused('conflict', 'deprecated'));
    expect(await user('approve_ddr', { id })).toEqual(refused('conflict', 'deprecated'));
    expect(await user('set_ddr_status', { id, status: 'approved' })).toEqual(
      refused('conflict', 'deprecated'),
    );
    expect(resultOf(await user('list_ddrs', { status: 'deprecated' }))).toMatchObject({
      ddrs: [{ id, approval }],
    });
    resultOf(await user('set_ddr_status', { id, status: 'draft' }));
    expect(resultOf(await user('set_goal', { id, goal: 'x' }))).toMatchObject({
      ddr: { status: 'draft', approval: null },
    });
  });
});
