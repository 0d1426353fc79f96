import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { DdrAnswer } from '#shared/ddr';
import {
  approveWhole,
  contextOf,
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

describe('the envelope', () => {
  it('[DDR-envelope] the tool answers {ok, result} or {ok: false, error: {code, message}}, as JSON', async () => {
    const { tool } = harness();
    const call = async (args: unknown) => {
      const answer = await tool.execute(
        typeof args === 'string' ? args : JSON.stringify(args),
        contextOf('model'),
      );
      return JSON.parse(answer.ok ? answer.value : 'null') as DdrAnswer;
    };
    expect(tool.name).toBe('agent_ddr_manager');
    expect(await call({ operation: 'list_ddrs', payload: {} })).toEqual({
      ok: true,
      result: { ddrs: [], problems: [] },
    });
    expect(await call({ operation: 'drop_table', payload: {} })).toEqual(
      refused('unknown_operation', 'approve_ddr'),
    );
    expect(await call('{')).toEqual(refused('invalid_payload', 'JSON'));
    expect(await call({ operation: 'list_ddrs' })).toEqual(refused('invalid_payload', 'payload'));
    expect(await call({ operation: 'get_ddr', payload: {}, more: 1 })).toEqual(refused('invalid_payload'));
  });

  it.each([
    ['create_ddr', { title: 'x', summary: 'x' }, 'payload.tla'],
    ['create_ddr', { tla: 'agn', title: 'x', summary: 'x' }, 'payload.tla'],
    ['create_ddr', { ...created, id: 'AGN-500' }, '"id"'],
    ['create_ddr', { ...created, title: 'two\nlines' }, 'payload.title'],
    ['create_ddr', { ...created, title: 'turn\u202Earound' }, 'payload.title'],
    ['add_tla', { tla: 'ABCD', title: 'x' }, 'payload.tla'],
    ['get_ddr', { id: '../../etc/passwd' }, 'payload.id'],
    ['set_goal', { id: 'AGN-001', goal: ' ' }, 'payload.goal'],
    ['set_goal', { id: 'AGN-001', goal: 'a\n## b' }, 'payload.goal'],
    ['add_chapter', { id: 'AGN-001', title: 'Goal', summary: 'x' }, 'payload.title'],
    ['add_chapter', { id: 'AGN-001', title: 'x', summary: 'x', details: '```\nopen' }, 'payload.details'],
    ['add_chapters', { id: 'AGN-001', chapters: [] }, 'payload.chapters'],
    ['add_chapters', { id: 'AGN-001', chapters: [{ title: 'x' }] }, 'payload.chapters.0.summary'],
    ['update_chapter_summary', { id: 'AGN-001', chapterId: 'C1', summary: 'a\n\nb' }, 'payload.summary'],
    ['update_chapter_details', { id: 'AGN-001', chapterId: 'C1', details: '# T' }, 'payload.details'],
    ['approve_chapter', { id: 'AGN-001' }, 'payload.chapterId'],
    ['reorder_chapters', { id: 'AGN-001', chapterIds: 'C1' }, 'payload.chapterIds'],
    ['set_ddr_status', { id: 'AGN-001', status: 'done' }, 'payload.status'],
    ['update_metadata', { id: 'AGN-001' }, 'title, summary, aliases'],
    ['diff_ddr', { id: 'AGN-001', against: 'HEAD' }, 'payload.against'],
    ['search_ddrs', { text: '' }, 'payload.text'],
  ])('[DDR-payload] %s reports the errors in its payload', async (operation, payload, field) => {
    expect(await harness().user(operation, payload)).toEqual(refused('invalid_payload', field));
  });
});

describe('identifiers', () => {
  it('[DDR-create] the host assigns the identifier, above all existing ones, and never one twice', async () => {
    const { user, folder, open, askUser } = harness({
      seeds: { 'AGN-014.md': '---\nid: AGN-014\ntitle: A\n---\n' },
    });
    const first = resultOf(await user('create_ddr', created));
    expect(first).toMatchObject({ ddr: { id: 'AGN-015', status: 'draft', origin: 'home', goal: null } });
    writeFileSync(path.join(folder, 'AGN-015.md'), '---\nid: TUL-003\ntitle: Another\n---\n');
    expect(resultOf(await user('create_ddr', created))).toMatchObject({ ddr: { id: 'AGN-016' } });
    expect(resultOf(await user('create_ddr', { ...created, tla: 'TUL' }))).toMatchObject({
      ddr: { id: 'TUL-004' },
    });
    const call = { operation: 'create_ddr', payload: created };
    const again = await open().call(call, contextOf('model'), askUser);
    expect(resultOf(again)).toMatchObject({ ddr: { id: 'AGN-017' } });
    expect(await user('create_ddr', { ...created, tla: 'XYZ' })).toEqual(refused('not_found', 'add_tla'));
  });

  it('[DDR-create] concurrent creations through two instances of one folder get different identifiers', async () => {
    const { user, open, folder, askUser } = harness();
    const other = open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? user('create_ddr', created)
          : other.call({ operation: 'create_ddr', payload: created }, contextOf('model'), askUser),
      ),
    );
    const ids = answers.map((answer) => resultOf<{ ddr: { id: string } }>(answer).ddr.id);
    expect(new Set(ids).size).toBe(20);
    expect(readdirSync(folder).filter((name) => name.endsWith('.md'))).toHaveLength(20);
  });

  it('[DDR-tla] families are listed and added once', async () => {
    const { user } = harness();
    expect(resultOf(await user('add_tla', { tla: 'OPS', title: 'Operations' }))).toMatchObject({
      tla: { tla: 'OPS' },
    });
    expect(await user('add_tla', { tla: 'OPS', title: 'Again' })).toEqual(refused('conflict', 'Operations'));
    const { tlas } = resultOf<{ tlas: { tla: string }[] }>(await user('get_tla_catalog'));
    expect(tlas.map(({ tla }) => tla)).toEqual(['AGN', 'OPS', 'TUL']);
  });
});

describe('goal and chapters', () => {
  it('[DDR-goal] [DDR-chapters] are written as readable Markdown, and read back', async () => {
    const { user, folder, id } = await approved();
    expect(fileOf(folder)).toContain(
      '# AGN-001: Modes: and "more"\n\n## Goal\n\nOne reading.\n\n## Scope\n\n> What it covers.\n\nAll of it.\n\n## Terms\n',
    );
    expect(resultOf(await user('get_ddr', { id }))).toMatchObject({
      ddr: {
        status: 'approved',
        approval,
        goal: { text: 'One reading.', status: 'approved', approval },
        chapters: [
          { chapterId: 'C1', title: 'Scope', summary: 'What it covers.', details: 'All of it.', approval },
          { chapterId: 'C2', title: 'Terms', details: '### Mode\n\nA way to work.' },
        ],
        changedSinceApproval: false,
      },
    });
    const { chapters } = resultOf<{ chapters: { chapterId: string }[] }>(await user('list_chapters', { id }));
    expect(chapters).toMatchObject([
      { chapterId: 'C1', summary: 'What it covers.', status: 'approved', detailsLength: 10 },
      { chapterId: 'C2' },
    ]);
  });

  it('[DDR-chapters] are added, moved and deleted; an id is not reused', async () => {
    const { user } = harness();
    const id = 'AGN-001';
    await user('create_ddr', created);
    const add = (title: string, more = {}) => user('add_chapter', { id, title, summary: 's', ...more });
    await add('One');
    await add('Two');
    expect(resultOf(await add('First', { position: 1 }))).toMatchObject({ chapters: [{ chapterId: 'C3' }] });
    expect(await add('two')).toEqual(refused('conflict', 'two'));
    expect(await add('Late', { position: 9 })).toEqual(refused('invalid_payload', 'position'));
    expect(await user('reorder_chapters', { id, chapterIds: ['C1', 'C2'] })).toEqual(
      refused('invalid_payload', 'C3'),
    );
    resultOf(await user('reorder_chapters', { id, chapterIds: ['C2', 'C1', 'C3'] }));
    resultOf(await user('delete_chapter', { id, chapterId: 'C3' }));
    resultOf(await add('New'));
    const { ddr } = resultOf<{ ddr: { chapters: { chapterId: string; title: string }[] } }>(
      await user('get_ddr', { id }),
    );
    expect(ddr.chapters.map((chapter) => [chapter.chapterId, chapter.title])).toEqual([
      ['C2', 'Two'],
      ['C1', 'One'],
      ['C4', 'New'],
    ]);
    expect(await user('approve_chapter', { id, chapterId: 'C3' })).toEqual(refused('not_found', 'C4'));
    expect(await user('get_ddr', { id: 'AGN-002' })).toEqual(refused('not_found', 'AGN-001'));
  });

  it('[DDR-chapters] of a list are added together or not at all', async () => {
    const { user } = harness();
    await user('create_ddr', created);
    const chapters = ['One', 'Two', 'one'].map((title) => ({ title, summary: 's' }));
    expect(await user('add_chapters', { id: 'AGN-001', chapters })).toEqual(refused('conflict', 'one'));
    expect(resultOf(await user('list_chapters', { id: 'AGN-001' }))).toMatchObject({ chapters: [] });
  });
});
