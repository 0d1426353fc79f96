import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { SentStepView } from '#shared/sent-step';
import type { SessionFact } from '#shared/session-event';
import { askFacts, runFacts, sampleUsage, sessionOf } from '../../../testing/sample-session';
import type { InspectorProps } from '../../store/turn-actions';
import { Inspector } from './inspector';

afterEach(cleanup);

const preview = {
  blocks: [{ source: 'workspace pack', text: 'Be exact.', tokens: 30 }],
  tools: [{ name: 'agent_list_modes', description: 'Lists the modes', parameters: {}, tokens: 10 }],
  total: 40,
};

const sentStep: SentStepView = {
  part: 'reply',
  at: 0,
  snapshot: 'c'.repeat(64),
  promptPack: 'concise',
  toolCatalog: 'reading',
  blocks: [
    { source: 'workspace: concise', hash: 'a'.repeat(64), text: 'Say little.', tokens: 3 },
    { source: 'mode catalog', hash: 'b'.repeat(64), text: null, tokens: 0 },
  ],
  tools: ['agent_list_modes'],
};

function draw(props: Partial<InspectorProps> = {}) {
  const all: InspectorProps = {
    session: sessionOf([...runFacts(0), ...askFacts({ turn: 1, reply: 'yes', outcome: 'done' })]),
    turn: null,
    tab: 'run',
    onTab: vi.fn(),
    loadPrompt: () => Promise.resolve(ok(preview)),
    loadSteps: () => Promise.resolve(ok([])),
    loadImage: () => Promise.resolve(ok({ dataUrl: 'data:image/png;base64,AAAA' })),
    readItem: vi.fn(),
    onTurn: vi.fn(),
    previewRoute: vi.fn(),
    onShowQuestion: vi.fn(),
    onRun: vi.fn(),
    onStop: vi.fn(),
    priceOf: () => null,
    onCopy: vi.fn(),
    onClose: vi.fn(),
    ...props,
  };
  render(<Inspector {...all} />);
  return all;
}

const drawer = (name: string) => screen.getByRole('article', { name: `Step ${name}` });

describe('Inspector', () => {
  it('shows the newest run, and selects the node that needs the user', () => {
    draw();
    expect(within(drawer('Write the report')).getByText('Needs you')).toBeTruthy();
  });

  it('[UI-declined] shows a declined run without the card of a failure', () => {
    for (const [code, word] of [
      ['APPROVAL_DENIED', 'Declined'],
      ['TIMEOUT', 'Failed'],
    ] as const) {
      const error =
        code === 'TIMEOUT' ? appError('TOOL', code, 'Too late.') : appError('POLICY', code, 'Not approved.');
      const ended: SessionFact = {
        ...{ type: 'run-ended', turn: 0, runId: 'run-0', outcome: 'failed', answer: '' },
        ...{ usage: sampleUsage, error },
      };
      draw({ session: sessionOf([...runFacts(0), ended]) });
      expect(screen.getAllByText(word).length, code).toBeGreaterThan(0);
      expect(screen.queryAllByText(/POLICY|TOOL/).length > 0, code).toBe(code === 'TIMEOUT');
      cleanup();
    }
  });

  it('leads to the question in the conversation, the one place to answer it', () => {
    const { onShowQuestion } = draw();
    expect(screen.queryByRole('button', { name: /^Approve/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Show the question' }));
    expect(onShowQuestion).toHaveBeenCalledExactlyOnceWith(0);
  });

  it('[AGENT-thinking] shows what the model thought of each stage, folded and as plain text', () => {
    const thought = (stage: number, text: string, ms?: number): SessionFact => ({
      ...{ type: 'model-step-ended', turn: 0, runId: 'run-0', stage },
      parts: [
        { type: 'thinking', text, ...(ms !== undefined && { ms }) },
        { type: 'text', text: 'I plan.' },
      ],
    });
    const [sent, started, ...rest] = runFacts(0);
    const thoughts = [
      thought(1, '**Files** first.', 8_000),
      thought(1, 'Repair it.', 4_000),
      thought(2, 'Then hash.'),
    ];
    const facts = [sent, started, ...thoughts, ...rest].flatMap((fact) => fact ?? []);
    draw({ session: sessionOf(facts) });
    const first = screen.getByText('Stage 1: thought for 12 s').closest('details');
    expect(first?.open).toBe(false);
    expect(first?.textContent).toContain('**Files** first.\n\nRepair it.');
    expect(screen.getByText('Stage 2: what the model thought')).toBeDefined();
    cleanup();
    draw();
    expect(screen.queryByText(/^Stage 1: /)).toBeNull();
  });

  it.each(['As a graph', 'As a list'])('opens a node from the plan %s', (view) => {
    draw();
    fireEvent.click(screen.getByRole('button', { name: view }));
    const plan =
      view === 'As a graph'
        ? screen.getByRole('group', { name: 'Plan as a graph' })
        : screen.getByRole('list', { name: 'Plan as a list' });
    const button = within(plan).getByRole('button', { name: /List the files/ });
    fireEvent.click(button);
    expect(button.getAttribute('aria-pressed')).toBe('true');
    const shown = drawer('List the files');
    for (const part of ['Script', 'Parameters', 'Allowed tools', 'Calls', 'Result', 'Log', 'Used']) {
      expect(within(shown).getByRole('heading', { name: new RegExp(`^${part}`) })).toBeTruthy();
    }
    expect(within(shown).getByText('{"glob":"**"}')).toBeTruthy();
  });

  it('[REV-whole-plan] shows the plan in the whole window, with the chosen step, while the run works', () => {
    draw();
    fireEvent.click(screen.getByRole('button', { name: 'Show the plan in the whole window' }));
    const whole = within(screen.getByRole('dialog', { name: 'Plan of the run' }));
    expect(whole.getByRole('article', { name: 'Step Write the report' })).toBeTruthy();
    fireEvent.click(whole.getByRole('button', { name: 'As a timeline' }));
    fireEvent.click(whole.getByRole('button', { name: 'As a graph' }));
    const graph = within(whole.getByRole('group', { name: 'Plan as a graph' }));
    fireEvent.click(graph.getByRole('button', { name: /List the files/ }));
    expect(whole.getByRole('article', { name: 'Step List the files' })).toBeTruthy();
    fireEvent.click(whole.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('draws the usage against the limits', () => {
    draw();
    fireEvent.click(
      within(screen.getByRole('group', { name: 'Plan as a graph' })).getByRole('button', {
        name: /Hash them/,
      }),
    );
    expect(within(drawer('Hash them')).getByText('of 1.0 s', { exact: false })).toBeTruthy();
  });

  it('lists artifacts by node, and copies a handle', () => {
    const props = draw({ tab: 'artifacts' });
    expect(screen.getByText('hashes.json')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Copy handle' }));
    expect(props.onCopy).toHaveBeenCalledWith(`artifact://sha256/${'a'.repeat(64)}`);
  });

  it('shows each block of the prompt with its source and cost', async () => {
    draw({ tab: 'prompt' });
    expect(await screen.findByText('workspace pack')).toBeTruthy();
    expect(screen.getByText('40 tokens before the conversation')).toBeTruthy();
    expect(screen.getByText('agent_list_modes')).toBeTruthy();
  });

  it('says why the prompt cannot be shown, and retries', async () => {
    const loadPrompt = vi
      .fn<InspectorProps['loadPrompt']>()
      .mockResolvedValueOnce(err(appError('HOST', 'STATE', 'Not now.')));
    loadPrompt.mockResolvedValueOnce(ok(preview));
    draw({ tab: 'prompt', loadPrompt });
    expect(await screen.findByText('Not now.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('workspace pack')).toBeTruthy();
  });

  it('explains itself while it is empty', () => {
    draw({ session: undefined });
    expect(screen.getByText('No run yet')).toBeTruthy();
    cleanup();
    draw({ turn: 1 });
    expect(screen.getByText('This turn ran no plan')).toBeTruthy();
    cleanup();
    draw({ tab: 'artifacts', turn: 1 });
    expect(screen.getByText('No artifacts')).toBeTruthy();
  });

  it('[P3-W-inspector] shows what was sent for each model call of a turn, with its pack, catalog and snapshot', async () => {
    const loadSteps = vi.fn<InspectorProps['loadSteps']>().mockResolvedValue(ok([sentStep]));
    const props = draw({ tab: 'prompt', turn: 1, loadSteps });
    const calls = await screen.findByRole('list', { name: 'Model calls of this turn' });
    expect(loadSteps).toHaveBeenCalledWith(1);
    for (const text of ['concise', 'reading', 'cccccccccccc', '1 tool offered']) {
      expect(within(calls).getByText(text)).toBeTruthy();
    }
    expect(within(calls).getByText('Say little.')).toBeTruthy();
    expect(within(calls).getByText(/is damaged, so it cannot be shown/)).toBeTruthy();
    fireEvent.click(within(calls).getByRole('button', { name: 'Copy block' }));
    expect(props.onCopy).toHaveBeenCalledWith('Say little.');
  });

  const image = {
    label: 'Static context, image 1 of 1: context/images/a.png (data, not instructions)',
    path: 'context/images/a.png',
    mediaType: 'image/png',
    bytes: 2_048,
    width: 640,
    height: 480,
    sha256: 'd'.repeat(64),
  };

  it('[P3-Z-image-shown] shows a sent image as a thumbnail with type, size and hash, and in full when it is opened', async () => {
    const loadSteps = () => Promise.resolve(ok([{ ...sentStep, images: [image] }]));
    const loadImage = vi
      .fn<InspectorProps['loadImage']>()
      .mockResolvedValue(ok({ dataUrl: 'data:image/png;base64,iVBOR' }));
    draw({ tab: 'prompt', turn: 1, loadSteps, loadImage });
    const shown = await screen.findByRole('img', { name: 'Image context/images/a.png of the workspace' });
    expect(shown.getAttribute('src')).toBe('data:image/png;base64,iVBOR');
    const { path, sha256 } = image;
    expect(loadImage).toHaveBeenCalledWith({ snapshot: sentStep.snapshot, path, sha256 });
    expect(screen.getByText('image/png · 640 × 480 · 2.0 kB · dddddddddddd')).toBeTruthy();
    expect(screen.getByText(image.label)).toBeTruthy();
  });

  it('[P3-Z-image-shown] reports an image that is no longer stored, and shows none in its place', async () => {
    const lost = err(appError('HOST', 'STORAGE', 'The stored version cccc of the workspace is damaged.'));
    const images = [{ ...image, tokens: 765 }];
    const content = { snapshot: sentStep.snapshot, promptPack: 'concise', toolCatalog: 'reading' };
    draw({
      tab: 'prompt',
      loadPrompt: () => Promise.resolve(ok({ ...preview, content, images })),
      loadImage: () => Promise.resolve(lost),
    });
    expect(await screen.findByText(/is damaged or missing, so it cannot be shown/)).toBeTruthy();
    expect(screen.getByText('about 765 tokens')).toBeTruthy();
    expect(screen.queryByRole('img')).toBeNull();
  });

  it('[P3-W-why] explains for each tool why it is or is not offered, and finds it by name or reason', async () => {
    const verdicts = [
      { name: 'agent_list_modes', offered: true, reason: 'It is always offered.' },
      {
        name: 'send_mail',
        offered: false,
        layer: 'descriptor' as const,
        reason: 'The active tool set does not offer it.',
      },
      {
        name: 'pigeon',
        offered: false,
        layer: 'binding' as const,
        reason: 'It has a description, but nothing here provides the tool.',
      },
    ];
    draw({ tab: 'tools', loadPrompt: () => Promise.resolve(ok({ ...preview, verdicts })) });
    const left = await screen.findByRole('list', { name: 'Not offered' });
    expect(within(screen.getByRole('list', { name: 'Offered' })).getByText('agent_list_modes')).toBeTruthy();
    expect(within(left).getByText('not connected')).toBeTruthy();
    fireEvent.change(screen.getByRole('searchbox', { name: 'Filter the tools' }), {
      target: { value: 'TOOL SET' },
    });
    expect(screen.getByText('send_mail')).toBeTruthy();
    expect(screen.queryByText('pigeon')).toBeNull();
  });

  it('changes tabs by keyboard', async () => {
    const props = draw();
    const tab = screen.getByRole('tab', { name: 'Run' });
    tab.focus();
    fireEvent.keyDown(tab, { key: 'ArrowRight' });
    await waitFor(() => expect(props.onTab).toHaveBeenCalledWith('trace'));
  });
});
