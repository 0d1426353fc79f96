import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { Tooltip } from 'radix-ui';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { askFacts, runFacts, sessionOf } from '../../../testing/sample-session';
import type { InspectorProps } from '../../app/turn-actions';
import { Inspector } from './inspector';

afterEach(cleanup);

const preview = {
  blocks: [{ source: 'workspace pack', text: 'Be exact.', tokens: 30 }],
  tools: [{ name: 'agent_list_modes', description: 'Lists the modes', parameters: {}, tokens: 10 }],
  total: 40,
};

function draw(props: Partial<InspectorProps> = {}) {
  const all: InspectorProps = {
    session: sessionOf([...runFacts(0), ...askFacts({ turn: 1, reply: 'yes', outcome: 'done' })]),
    turn: null,
    tab: 'run',
    onTab: vi.fn(),
    loadPrompt: () => Promise.resolve(ok(preview)),
    previewRoute: vi.fn(),
    onAnswerApproval: vi.fn(),
    onEditApproval: vi.fn(),
    onRun: vi.fn(),
    onStop: vi.fn(),
    onCopy: vi.fn(),
    onClose: vi.fn(),
    ...props,
  };
  render(
    <Tooltip.Provider>
      <Inspector {...all} />
    </Tooltip.Provider>,
  );
  return all;
}

const drawer = (name: string) => screen.getByRole('article', { name: `Node ${name}` });

describe('Inspector', () => {
  it('shows the newest run, and in it the node that needs somebody', () => {
    draw();
    expect(within(drawer('Write the report')).getByText('Needs you')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy();
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
    for (const part of ['Script', 'Parameters', 'May call', 'Calls', 'Result', 'Log', 'Spent']) {
      expect(within(shown).getByRole('heading', { name: new RegExp(`^${part}`) })).toBeTruthy();
    }
    expect(within(shown).getByText('{"glob":"**"}')).toBeTruthy();
  });

  it('draws what was spent against what was allowed', () => {
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

  it('says why the prompt cannot be shown, and tries again', async () => {
    const loadPrompt = vi
      .fn<InspectorProps['loadPrompt']>()
      .mockResolvedValueOnce(err(appError('HOST', 'STATE', 'Not now.')));
    loadPrompt.mockResolvedValueOnce(ok(preview));
    draw({ tab: 'prompt', loadPrompt });
    expect(await screen.findByText('Not now.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('workspace pack')).toBeTruthy();
  });

  it('says what would fill it while it is empty', () => {
    draw({ session: undefined });
    expect(screen.getByText('No run yet')).toBeTruthy();
    cleanup();
    draw({ turn: 1 });
    expect(screen.getByText('This turn ran no plan')).toBeTruthy();
    cleanup();
    draw({ tab: 'artifacts', turn: 1 });
    expect(screen.getByText('No artifacts')).toBeTruthy();
  });

  it('changes tabs by keyboard', async () => {
    const props = draw();
    const tab = screen.getByRole('tab', { name: 'Run' });
    tab.focus();
    fireEvent.keyDown(tab, { key: 'ArrowRight' });
    await waitFor(() => expect(props.onTab).toHaveBeenCalledWith('trace'));
  });
});
