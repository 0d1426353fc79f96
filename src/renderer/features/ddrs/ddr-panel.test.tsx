import type { Ddr, DdrAnswer, DdrDiff } from '#shared/ddr';
import type { IpcInput } from '#shared/ipc';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';

type Call = IpcInput<'ddr-call'>;

const summary = {
  id: 'AGN-014',
  tla: 'AGN',
  title: 'Agent mode catalog',
  summary: 'What modes are.',
  aliases: [],
  status: 'draft',
  approval: null,
  goalStatus: 'draft',
  chapterCount: 1,
  approvedChapterCount: 0,
  origin: 'home',
} as const;

const chapter = {
  chapterId: 'C1',
  title: 'Purpose',
  summary: 'Why.',
  details: '',
  status: 'draft',
  approval: null,
} as const;

const ddr: Ddr = {
  ...summary,
  aliases: [],
  goal: { text: 'Say what a mode is.', status: 'draft', approval: null },
  chapters: [chapter],
  workflows: {},
  changedSinceApproval: false,
  markdown: '# Agent mode catalog\n\nA **mode** is a way to work. <img src=x onerror=alert(1)>',
};

const diff: DdrDiff = {
  id: 'AGN-014',
  against: 'approved',
  available: true,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 4,
      newStart: 4,
      lines: [
        { kind: 'removed', text: 'the old line' },
        { kind: 'added', text: 'the new line' },
      ],
    },
  ],
};

const hit = {
  id: 'AGN-014',
  title: summary.title,
  chapterId: 'C1',
  place: 'Purpose',
  snippet: 'a \u0001mode\u0002 is',
};

function answers(call: Call): DdrAnswer {
  const results: Readonly<Record<string, object>> = {
    list_ddrs: {
      ddrs: [summary],
      problems: [{ file: 'BAD.md', field: 'title', rule: 'schema', reason: 'It is missing.' }],
    },
    get_ddr: { ddr },
    search_ddrs: { hits: [hit] },
    diff_ddr: diff,
  };
  const result = results[call.operation] ?? { ddr: summary };
  return JSON.parse(JSON.stringify({ ok: true, result })) as DdrAnswer;
}

async function openPanel(onDdrCall: (call: Call) => DdrAnswer = answers) {
  const asked: Call[] = [];
  const window = await openTestWindow(
    {},
    {
      controlPlane: {
        onDdrCall: (call) => {
          asked.push(call);
          return onDdrCall(call);
        },
      },
    },
  );
  await act(async () => window.app.view.set({ dialog: { kind: 'ddrs' } }));
  const panel = within(screen.getByRole('dialog', { name: 'Design records' }));
  const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
  const tab = (name: string) =>
    act(async () => void fireEvent.mouseDown(panel.getByRole('tab', { name }), { button: 0 }));
  return { panel, asked, click, tab };
}

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('the DDR panel', () => {
  it('[WIN-ddrs] lists documents with their state, and names those that cannot be read', async () => {
    const { panel } = await openPanel();
    const row = within(panel.getByRole('list', { name: 'Design records' })).getByRole('button');
    expect(row.textContent).toContain('Agent mode catalog');
    expect(row.textContent).toContain('Draft');
    expect(panel.getByRole('list', { name: 'Documents that cannot be read' }).textContent).toContain(
      'It is missing.',
    );
  });

  it('[WIN-ddrs] shows a document as text, never as markup', async () => {
    const { panel, click } = await openPanel();
    await click(panel.getByRole('button', { name: /Agent mode catalog/ }));
    const text = panel.getByRole('tabpanel', { name: 'Text' });
    expect(within(text).getByText('mode').tagName).toBe('STRONG');
    expect(text.querySelector('img')).toBeNull();
  });

  it('[WIN-ddrs] searches, and marks the matches', async () => {
    const { panel, asked } = await openPanel();
    const field = panel.getByRole('searchbox', { name: 'Search the design records' });
    await act(async () => void fireEvent.change(field, { target: { value: 'mode' } }));
    expect(asked.at(-1)).toEqual({ operation: 'search_ddrs', payload: { text: 'mode' } });
    expect(panel.getByText('mode', { selector: 'mark' })).toBeTruthy();
  });

  it('[WIN-ddrs] compares with the approved and with the previous version', async () => {
    const { panel, asked, click, tab } = await openPanel();
    await click(panel.getByRole('button', { name: /Agent mode catalog/ }));
    await tab('Changes');
    expect(panel.getByText('the new line').parentElement?.textContent).toContain('Added: ');
    await click(panel.getByRole('button', { name: 'Since the last version' }));
    expect(asked.at(-1)?.payload).toEqual({ id: 'AGN-014', against: 'previous' });
  });

  it('[WIN-ddrs-approve] approves goal, chapter and document as calls by the user, and reads again', async () => {
    const { panel, asked, click, tab } = await openPanel();
    await click(panel.getByRole('button', { name: /Agent mode catalog/ }));
    await tab('Approvals');
    await click(panel.getByRole('button', { name: 'Approve goal' }));
    await click(panel.getByRole('button', { name: 'Approve chapter C1' }));
    await click(panel.getByRole('button', { name: 'Approve AGN-014' }));
    const approvals = asked.filter(({ operation }) => operation.startsWith('approve_'));
    expect(approvals).toEqual([
      { operation: 'approve_goal', payload: { id: 'AGN-014' } },
      { operation: 'approve_chapter', payload: { id: 'AGN-014', chapterId: 'C1' } },
      { operation: 'approve_ddr', payload: { id: 'AGN-014' } },
    ]);
    expect(asked.at(-1)?.operation).toMatch(/^(get_ddr|list_ddrs)$/);
  });

  it('[WIN-ddrs-approve] says why an approval was refused', async () => {
    const message = 'C1 is a draft. Approve it first.';
    const { panel, click, tab } = await openPanel((call) =>
      call.operation === 'approve_ddr' ? { ok: false, error: { code: 'conflict', message } } : answers(call),
    );
    await click(panel.getByRole('button', { name: /Agent mode catalog/ }));
    await tab('Approvals');
    await click(panel.getByRole('button', { name: 'Approve AGN-014' }));
    expect(within(panel.getByRole('alert')).getByText(message)).toBeTruthy();
  });
});
