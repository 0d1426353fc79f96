import { expect, it, vi } from 'vitest';
import type { Agent } from '../../core/ports/agent';
import { createLazyAgent } from './lazy-agent';

it('loads the agent with the first run and keeps it; before that no approval is open', async () => {
  const real = { run: vi.fn(() => Promise.resolve('report')), answer: vi.fn(() => true) };
  const load = vi.fn(() => Promise.resolve(real as unknown as Agent));
  const agent = createLazyAgent(load);
  expect(agent.answer([{ approvalId: 'id', hash: 'hash', approved: true }])).toBe(false);
  expect(load).not.toHaveBeenCalled();
  const request = {} as Parameters<Agent['run']>[0];
  const { signal } = new AbortController();
  await agent.run(request, () => true, signal);
  await agent.run(request, () => true, signal);
  expect(load).toHaveBeenCalledOnce();
  expect(real.run).toHaveBeenCalledTimes(2);
  expect(agent.answer([{ approvalId: 'id', hash: 'hash', approved: true }])).toBe(true);
});
