import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createDdrHarnesses, ddrText as text, listedDdrs as listed } from '../../../testing/ddr-harness';

const { harness, removeAll } = createDdrHarnesses();
afterEach(removeAll);

describe('earlier versions of a document', () => {
  it('[DDR-diff] show the changes since the last version, and since the approval', async () => {
    const approved = text('AGN-001', 'A', '\n## Goal\n\nWhy\n').replace(
      'title',
      'status: approved\napprovedBy: Ada\napprovedAt: today\ntitle',
    );
    const made = harness({ home: { 'AGN-001.md': approved } });
    const id = 'AGN-001';
    const diff = async (against: string) => {
      const answer = await made.user('diff_ddr', { id, against });
      return answer.ok ? answer.result : answer.error;
    };
    expect(await diff('approved')).toMatchObject({ available: true, added: 0, removed: 0, hunks: [] });
    expect(await diff('previous')).toMatchObject({ available: false, hunks: [] });
    await made.user('set_goal', { id, goal: 'Because' });
    await made.user('set_goal', { id, goal: 'Therefore' });
    const goalLines = (result: unknown) =>
      (result as { hunks: { lines: { kind: string; text: string }[] }[] }).hunks
        .flatMap(({ lines }) => lines)
        .filter(({ kind, text: line }) => kind !== 'same' && /^[A-Z]/.test(line));
    expect(goalLines(await diff('previous'))).toEqual([
      { kind: 'removed', text: 'Because' },
      { kind: 'added', text: 'Therefore' },
    ]);
    expect(goalLines(await diff('approved'))).toEqual([
      { kind: 'removed', text: 'Why' },
      { kind: 'added', text: 'Therefore' },
    ]);
  });

  it('[DDR-diff-content] compare the content: an approval is not a change, and hides none', async () => {
    const made = harness({ home: { 'AGN-001.md': text('AGN-001', 'A', '\n## Goal\n\nWhy\n') } });
    const id = 'AGN-001';
    await made.user('set_goal', { id, goal: 'Because' });
    await made.user('approve_goal', { id });
    const answer = await made.user('diff_ddr', { id, against: 'previous' });
    expect(answer).toMatchObject({ ok: true, result: { available: true, added: 1, removed: 1 } });
    const [hunk] = (answer as unknown as { result: { hunks: { newStart: number; lines: unknown[] }[] } })
      .result.hunks;
    expect(hunk?.lines).toEqual(
      expect.arrayContaining([
        { kind: 'removed', text: 'Why' },
        { kind: 'added', text: 'Because' },
      ]),
    );
    expect(JSON.stringify(hunk?.lines)).not.toContain('approvedBy');
    const file = readFileSync(path.join(made.folder, 'AGN-001.md'), 'utf8').split('\n');
    const first = (hunk?.lines[0] as { text: string }).text;
    expect(file[(hunk?.newStart ?? 0) - 1]).toBe(first);
  });

  it('[DDR-diff] are limited to the newest fifty, plus the approved one', async () => {
    const made = harness({ home: { 'AGN-001.md': text('AGN-001') } });
    const history = path.join(made.folder, '.history/AGN-001');
    mkdirSync(history, { recursive: true });
    for (let number = 1; number <= 60; number += 1) writeFileSync(path.join(history, `${number}.md`), '');
    writeFileSync(path.join(history, 'approved.md'), 'kept');
    await made.user('set_goal', { id: 'AGN-001', goal: 'g' });
    const names = readdirSync(history);
    expect(names).toHaveLength(51);
    expect(names).toEqual(expect.arrayContaining(['approved.md', '61.md', '12.md']));
    expect(readFileSync(path.join(history, '61.md'), 'utf8')).toBe(text('AGN-001'));
  });

  it('[DDR-search] finds words in titles, goals and chapters, ignoring case, with the match marked', async () => {
    const body = '\n## Goal\n\nRoute every\nline.\n\n## Scope\n\n> Lines of input.\n\nÄpfel route too.\n';
    const made = harness({
      home: { 'AGN-001.md': text('AGN-001', 'Routes', body), 'AGN-002.md': text('AGN-002') },
    });
    const search = async (wanted: string) => {
      const answer = await made.user('search_ddrs', { text: wanted });
      return answer.ok ? answer.result : answer.error;
    };
    expect(await search('ROUTE')).toMatchObject({
      total: 3,
      hits: [
        { id: 'AGN-001', place: 'title', chapterId: null, snippet: '\u0001Route\u0002s' },
        { place: 'goal', snippet: '\u0001Route\u0002 every line.' },
        { place: 'Scope', chapterId: 'C1', snippet: 'Äpfel \u0001route\u0002 too.' },
      ],
    });
    expect(await search('every line')).toMatchObject({ total: 1 });
    expect(await search('äpfel')).toMatchObject({ total: 1 });
    expect(await search('nowhere')).toMatchObject({ total: 0 });
  });
});

describe('the bundled design records', () => {
  it('[DDR-seeds] are all valid', async () => {
    const folder = path.resolve(import.meta.dirname, '../../../../seeds/ddrs');
    const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
    const seeds = Object.fromEntries(
      names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
    );
    const { ddrs, problems } = await listed(harness({ seeds }));
    expect(problems).toEqual([]);
    expect(ddrs.map(({ id }) => `${id}.md`).sort()).toEqual(names.sort());
    expect(ddrs).toMatchObject(ddrs.map(() => ({ goalStatus: 'approved' })));
  });
});
