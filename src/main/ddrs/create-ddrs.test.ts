import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { DdrAnswer } from '#shared/ddr';
import { contextOf, createDdrDesk, type DdrDeskOptions } from '../../testing/ddr-desk';

let trees: { remove: () => void }[] = [];
afterEach(() => {
  for (const tree of trees) tree.remove();
  trees = [];
});

const desk = (options: DdrDeskOptions = {}) => {
  const made = createDdrDesk(options);
  trees.push(made.tree);
  return made;
};

const result = (answer: DdrAnswer): Record<string, never> => {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.result as Record<string, never>;
};
const refused = (code: string, text: RegExp | string = '') => ({
  ok: false,
  error: {
    code,
    message: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
  },
});

const approval = { by: 'Ada Lovelace', at: '2026-03-04T05:06:07+01:00' };
const created = { tla: 'AGN', title: 'Modes: and "more"', summary: 'What a mode is.' };
const fileOf = (folder: string, id = 'AGN-001'): string =>
  readFileSync(path.join(folder, `${id}.md`), 'utf8');

/** A document with a goal and two chapters, everything approved. */
async function approved(options: DdrDeskOptions = {}) {
  const made = desk(options);
  const { user } = made;
  const id = 'AGN-001';
  result(await user('create_ddr', created));
  result(await user('set_goal', { id, goal: 'One reading.' }));
  const chapters = [
    { title: 'Scope', summary: 'What it covers.', details: 'All of it.' },
    { title: 'Terms', summary: 'What words mean.', details: '### Mode\n\nA way to work.' },
  ];
  result(await user('add_chapters', { id, chapters }));
  for (const chapterId of ['C1', 'C2']) result(await user('approve_chapter', { id, chapterId }));
  result(await user('approve_goal', { id }));
  result(await user('approve_ddr', { id }));
  return { ...made, id };
}

describe('the envelope', () => {
  it('[DDR-envelope] the tool answers {ok, result} or {ok: false, error: {code, message}}, as JSON', async () => {
    const { tool } = desk().ddrs;
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
  ])('[DDR-payload] %s names what is wrong with its payload', async (operation, payload, field) => {
    expect(await desk().user(operation, payload)).toEqual(refused('invalid_payload', field));
  });
});

describe('identifiers', () => {
  it('[DDR-create] the host gives the identifier, above every one there is, and never one twice', async () => {
    const { user, folder, open } = desk({ seeds: { 'AGN-014.md': '---\nid: AGN-014\ntitle: A\n---\n' } });
    const first = result(await user('create_ddr', created));
    expect(first).toMatchObject({ ddr: { id: 'AGN-015', status: 'draft', origin: 'home', goal: null } });
    writeFileSync(path.join(folder, 'AGN-015.md'), '---\nid: TUL-003\ntitle: Another\n---\n');
    expect(result(await user('create_ddr', created))).toMatchObject({ ddr: { id: 'AGN-016' } });
    expect(result(await user('create_ddr', { ...created, tla: 'TUL' }))).toMatchObject({
      ddr: { id: 'TUL-004' },
    });
    const again = await open().call({ operation: 'create_ddr', payload: created }, contextOf('model'));
    expect(result(again)).toMatchObject({ ddr: { id: 'AGN-017' } });
    expect(await user('create_ddr', { ...created, tla: 'XYZ' })).toEqual(refused('not_found', 'add_tla'));
  });

  it('[DDR-create] many at once, through two openings of one folder, get different identifiers', async () => {
    const { user, open, folder } = desk();
    const other = open();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? user('create_ddr', created)
          : other.call({ operation: 'create_ddr', payload: created }, contextOf('model')),
      ),
    );
    const ids = answers.map((answer) => (result(answer) as { ddr: { id: string } }).ddr.id);
    expect(new Set(ids).size).toBe(20);
    expect(readdirSync(folder).filter((name) => name.endsWith('.md'))).toHaveLength(20);
  });

  it('[DDR-tla] families are listed and added once', async () => {
    const { user } = desk();
    expect(result(await user('add_tla', { tla: 'OPS', title: 'Operations' }))).toMatchObject({
      tla: { tla: 'OPS' },
    });
    expect(await user('add_tla', { tla: 'OPS', title: 'Again' })).toEqual(refused('conflict', 'Operations'));
    const { tlas } = result(await user('get_tla_catalog')) as { tlas: { tla: string }[] };
    expect(tlas.map(({ tla }) => tla)).toEqual(['AGN', 'OPS', 'TUL']);
  });
});

describe('goal and chapters', () => {
  it('[DDR-goal] [DDR-chapters] are written as markdown a person can read, and read back', async () => {
    const { user, folder, id } = await approved();
    expect(fileOf(folder)).toContain(
      '# AGN-001: Modes: and "more"\n\n## Goal\n\nOne reading.\n\n## Scope\n\n> What it covers.\n\nAll of it.\n\n## Terms\n',
    );
    expect(result(await user('get_ddr', { id }))).toMatchObject({
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
    const { chapters } = result(await user('list_chapters', { id })) as { chapters: { chapterId: string }[] };
    expect(chapters).toMatchObject([
      { chapterId: 'C1', summary: 'What it covers.', status: 'approved', detailsLength: 10 },
      { chapterId: 'C2' },
    ]);
  });

  it('[DDR-chapters] are added, moved and deleted; an id is not used again', async () => {
    const { user } = desk();
    const id = 'AGN-001';
    await user('create_ddr', created);
    const add = (title: string, more = {}) => user('add_chapter', { id, title, summary: 's', ...more });
    await add('One');
    await add('Two');
    expect(result(await add('First', { position: 1 }))).toMatchObject({ chapters: [{ chapterId: 'C3' }] });
    expect(await add('two')).toEqual(refused('conflict', 'two'));
    expect(await add('Late', { position: 9 })).toEqual(refused('invalid_payload', 'position'));
    expect(await user('reorder_chapters', { id, chapterIds: ['C1', 'C2'] })).toEqual(
      refused('invalid_payload', 'C3'),
    );
    result(await user('reorder_chapters', { id, chapterIds: ['C2', 'C1', 'C3'] }));
    result(await user('delete_chapter', { id, chapterId: 'C3' }));
    result(await add('New'));
    const { ddr } = result(await user('get_ddr', { id })) as {
      ddr: { chapters: { chapterId: string; title: string }[] };
    };
    expect(ddr.chapters.map((chapter) => [chapter.chapterId, chapter.title])).toEqual([
      ['C2', 'Two'],
      ['C1', 'One'],
      ['C4', 'New'],
    ]);
    expect(await user('approve_chapter', { id, chapterId: 'C3' })).toEqual(refused('not_found', 'C4'));
    expect(await user('get_ddr', { id: 'AGN-002' })).toEqual(refused('not_found', 'AGN-001'));
  });

  it('[DDR-chapters] a list is added whole or not at all', async () => {
    const { user } = desk();
    await user('create_ddr', created);
    const chapters = ['One', 'Two', 'one'].map((title) => ({ title, summary: 's' }));
    expect(await user('add_chapters', { id: 'AGN-001', chapters })).toEqual(refused('conflict', 'one'));
    expect(result(await user('list_chapters', { id: 'AGN-001' }))).toMatchObject({ chapters: [] });
  });
});

describe('approvals', () => {
  it.each([
    ['approve_goal', {}],
    ['approve_chapter', { chapterId: 'C1' }],
    ['delete_chapter', { chapterId: 'C1' }],
    ['approve_ddr', {}],
    ['set_ddr_status', { status: 'approved' }],
    ['set_ddr_status', { status: 'deprecated' }],
  ])('[DDR-approval-user] %s of a model does nothing without the user’s yes', async (operation, more) => {
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

  it('[DDR-approval-user] with the user’s yes it is stored under the user’s name and local time', async () => {
    const { model, asked } = desk({ answer: () => true });
    const id = 'AGN-001';
    await model('create_ddr', created);
    await model('set_goal', { id, goal: 'Why' });
    expect(result(await model('approve_goal', { id }))).toMatchObject({ goal: { approval } });
    expect(asked).toEqual([{ text: 'Approve the goal of AGN-001 "Modes: and "more""?', detail: 'Why' }]);
  });

  it('[DDR-approval-text] a yes is for the text that was shown: changed meanwhile, nothing is approved', async () => {
    let meddle = (): void => undefined;
    const made = desk({
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

  it('[DDR-approval-order] a whole document needs its goal and every chapter approved', async () => {
    const { user } = desk();
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
    '[DDR-revert] %s on an approved document makes what it touches a draft, and says so',
    async (operation, more, named) => {
      const { user, folder, id } = await approved();
      const answer = result(await user(operation, { id, ...more })) as { ddr: object; note: string };
      expect(answer.ddr).toMatchObject({ status: 'draft', approval: null });
      for (const name of named) expect(answer.note).toContain(name);
      expect(fileOf(folder)).not.toMatch(/^approvedBy/m);
      const untouched = operation.includes('goal') ? { approvedChapterCount: 2 } : { goalStatus: 'approved' };
      expect(answer.ddr).toMatchObject(untouched);
    },
  );

  it('[DDR-revert] the same text again changes nothing', async () => {
    const { user, folder, id } = await approved();
    const before = fileOf(folder);
    const answer = result(await user('set_goal', { id, goal: 'One reading.' }));
    expect(answer).toMatchObject({ note: null, ddr: { status: 'approved' } });
    expect(result(await user('update_metadata', { id, aliases: ['m'] }))).toMatchObject({
      ddr: { status: 'approved' },
    });
    expect(fileOf(folder).replace(/^aliases:\n {2}- m\n/m, '')).toBe(before);
  });

  it('[DDR-revert] an edit by hand ends an approval too', async () => {
    const { user, folder, id } = await approved();
    writeFileSync(path.join(folder, 'AGN-001.md'), fileOf(folder).replace('All of it.', 'Some of it.'));
    expect(result(await user('get_ddr', { id }))).toMatchObject({
      ddr: { status: 'draft', changedSinceApproval: true, approvedChapterCount: 1, goalStatus: 'approved' },
    });
  });

  it('[DDR-deprecated] a deprecated document is only changed after it was taken up again', async () => {
    const { user, id } = await approved();
    result(await user('set_ddr_status', { id, status: 'deprecated' }));
    expect(await user('set_goal', { id, goal: 'x' })).toEqual(refused('conflict', 'deprecated'));
    expect(await user('approve_ddr', { id })).toEqual(refused('conflict', 'deprecated'));
    expect(await user('set_ddr_status', { id, status: 'approved' })).toEqual(
      refused('conflict', 'deprecated'),
    );
    expect(result(await user('list_ddrs', { status: 'deprecated' }))).toMatchObject({
      ddrs: [{ id, approval }],
    });
    result(await user('set_ddr_status', { id, status: 'draft' }));
    expect(result(await user('set_goal', { id, goal: 'x' }))).toMatchObject({
      ddr: { status: 'draft', approval: null },
    });
  });
});
