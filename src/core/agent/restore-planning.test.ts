import { describe, expect, it } from 'vitest';
import type { PlanningMessage } from '#shared/session-state';
import { restorePlanning } from './restore-planning';

type Part = Extract<PlanningMessage, { role: 'assistant' }>['parts'][number];

const reply = (parts: readonly Part[], stage = 1): PlanningMessage => ({ role: 'assistant', stage, parts });
const answer = (content: string, callId?: string, stage = 1): PlanningMessage => ({
  role: 'host',
  stage,
  content,
  ...(callId !== undefined && { callId }),
});
const text = (words: string): Part => ({ type: 'text', text: words });
const call = (name: string, id: string): Part => ({ type: 'call', id, name, arguments: '{}' });
const stageOne = [{ stage: 1 }] as never;

describe('the restored planning conversation', () => {
  it('gives a corrected text back as the model wrote it, with the correction as a message of the user', () => {
    const { messages, open } = restorePlanning({
      said: [reply([text('First I '), text('look.')]), answer('Call submit_plan.')],
    });
    expect(messages).toEqual([
      { role: 'assistant', content: 'First I look.' },
      { role: 'user', content: 'Call submit_plan.' },
    ]);
    expect(open).toBeUndefined();
  });

  it('gives calls back with their results, and no text that the model did not write', () => {
    const { messages } = restorePlanning({
      said: [reply([text('Let me see.'), call('read_result', 'r1')]), answer('rows', 'r1')],
    });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        toolCalls: [{ id: 'r1', name: 'read_result', argumentsJson: '{}' }],
      },
      { role: 'tool', toolCallId: 'r1', content: 'rows' },
    ]);
    const silent = restorePlanning({ said: [reply([call('read_result', 'r1')]), answer('rows', 'r1')] });
    expect(silent.messages[0]).toMatchObject({ role: 'assistant', content: '' });
  });

  it.each([
    ['thinking', { type: 'thinking', text: 'Rows first.' }],
    ['what only its provider understands', { type: 'text', text: '', provider: { signature: 's' } }],
  ] as const)('gives a reply with %s back as it came, but never as its text', (_name, part) => {
    const parts = [part, text('Look.')];
    const { messages } = restorePlanning({ said: [reply(parts), answer('Call submit_plan.')] });
    expect(messages[0]).toEqual({ role: 'assistant', content: 'Look.', parts });
  });

  it('waits with the plan of a stage that has begun', () => {
    const plan = call('submit_plan', 'p1');
    expect(restorePlanning({ said: [reply([plan])], stages: stageOne })).toMatchObject({
      messages: [{ role: 'assistant' }],
      open: { id: 'p1', name: 'submit_plan' },
    });
    const written = restorePlanning({ said: [reply([text('```json {} ```')])], stages: stageOne });
    expect(written).toMatchObject({ messages: [{ role: 'assistant' }], open: null });
  });

  it.each([
    ['a plan that became no stage', [reply([call('submit_plan', 'p1')])]],
    ['a reply whose result is missing', [reply([call('read_result', 'r1')])]],
    [
      'a reply of which only one result is recorded',
      [reply([call('read_result', 'r1'), call('read_result', 'r2')]), answer('rows', 'r1')],
    ],
    ['an answer to a reply that is not recorded', [answer('rows', 'r1')]],
  ])('asks again instead of %s', (_name, said) => {
    expect(restorePlanning({ said })).toMatchObject({ messages: [], open: undefined });
    expect(restorePlanning({ said }).readsIn(1)).toBe(0);
  });

  it('asks again instead of a read beside the plan that was not answered, although the stage has begun', () => {
    const said = [reply([call('submit_plan', 'p1'), call('read_result', 'r1')])];
    expect(restorePlanning({ said, stages: stageOne }).messages).toEqual([]);
    const alone = [reply([call('read_result', 'r1')])];
    expect(restorePlanning({ said: alone, stages: stageOne }).messages).toEqual([]);
  });

  it('counts the reads of each stage, and nothing else that was called', () => {
    const { readsIn } = restorePlanning({
      said: [
        reply([call('read_result', 'r1'), call('read_result', 'r2')]),
        answer('rows', 'r1'),
        answer('more', 'r2'),
        reply([call('find_tools', 'f1')]),
        answer('tools', 'f1'),
        reply([call('read_result', 'r3')], 2),
        answer('rest', 'r3', 2),
      ],
    });
    expect([1, 2, 3].map(readsIn)).toEqual([2, 1, 0]);
  });
});
