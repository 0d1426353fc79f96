import type { CallRecord } from '#shared/session-event';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { ReplyCalls } from './reply';

const call = (tool: string, changes: Partial<CallRecord> = {}): CallRecord => ({
  callId: `call ${tool}`,
  tool,
  argumentsPreview: '{}',
  outcome: 'done',
  ms: 2,
  bytes: 40,
  ...changes,
});

afterEach(cleanup);

it('[WIN-calls] a reply summarises in one line what the model looked up, and shows the calls on demand', () => {
  const calls = [call('agent_list_modes', { preview: '[…]' }), call('other_tool', { outcome: 'failed' })];
  const { container } = render(<ReplyCalls calls={calls} />);
  expect(screen.getByText('Looked up modes, Called other_tool · 1 failed')).toBeTruthy();
  expect(container.querySelector('details')?.open).toBe(false);
  expect(screen.getByText('[…]')).toBeTruthy();
});
