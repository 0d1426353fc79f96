import { describe, expect, it } from 'vitest';
import type { WorkflowDefinition } from '#shared/workflow';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { meetsMinimumVersion, requiredBump } from './version-step';

const input = { name: 'a', question: 'What?', type: 'text', required: true, validation: {} } as const;
const approval = { action: 'Do it', tool: 'agent_ddr_manager' };
const before = sampleWorkflow({
  RequiredInputs: [input],
  UserIntentPatterns: ['Create a new DDR', 'Write down a decision'],
  Preconditions: [{ kind: 'mode', modes: ['general'], because: 'So.' }],
});

const step = (fields: Partial<WorkflowDefinition>) => {
  const needed = requiredBump(before, { ...before, ...fields });
  return [needed.step, needed.minVersion, needed.demands.map(({ field }) => field)];
};

describe('the version step that a change requires', () => {
  it.each<[string, Partial<WorkflowDefinition>, string, string, string[]]>([
    ['other steps', { InstructionText: 'Other.' }, 'major', '2.0.0', ['InstructionText']],
    [
      'a new required input',
      { RequiredInputs: [input, { ...input, name: 'b' }] },
      'major',
      '2.0.0',
      ['RequiredInputs'],
    ],
    [
      'a lost pattern',
      { UserIntentPatterns: ['Create a new DDR'] },
      'major',
      '2.0.0',
      ['UserIntentPatterns'],
    ],
    ['a lost tool', { PermittedTools: [] }, 'major', '2.0.0', ['PermittedTools']],
    ['another approval', { RequiredApprovals: [approval] }, 'major', '2.0.0', ['RequiredApprovals']],
    ['another end', { CompletionCriteria: [{ text: 'Other.' }] }, 'major', '2.0.0', ['CompletionCriteria']],
    ['another condition', { Preconditions: [] }, 'major', '2.0.0', ['Preconditions']],
    ['its disabling', { Status: 'disabled' }, 'major', '2.0.0', ['Status']],
    ['starting unasked', { AutoStart: true }, 'major', '2.0.0', ['AutoStart']],
    [
      'a tool more',
      { PermittedTools: ['agent_ddr_manager', 'mcp://a.b'] },
      'minor',
      '1.1.0',
      ['PermittedTools'],
    ],
    [
      'an optional input',
      { RequiredInputs: [input, { ...input, name: 'b', required: false }] },
      'minor',
      '1.1.0',
      ['RequiredInputs'],
    ],
    ['its deprecation', { Status: 'deprecated' }, 'minor', '1.1.0', ['Status']],
    ['a follow-up', { FollowUpOptions: [{ text: 'More' }] }, 'minor', '1.1.0', ['FollowUpOptions']],
    ['a label', { Title: 'Other', Notes: 'New' }, 'patch', '1.0.1', ['Title', 'Notes']],
    [
      'a question',
      { RequiredInputs: [{ ...input, question: 'Which?' }] },
      'patch',
      '1.0.1',
      ['RequiredInputs'],
    ],
    ['spaces', { InstructionText: `${before.InstructionText}\n\n ` }, 'patch', '1.0.1', ['InstructionText']],
    [
      'an explanation',
      { Preconditions: [{ kind: 'mode', modes: ['general'], because: 'Therefore.' }] },
      'patch',
      '1.0.1',
      ['Preconditions'],
    ],
  ])('[T6-8-4-step] of %s', (_what, fields, ...expected) => {
    expect(step(fields)).toEqual(expected);
  });

  it('[T6-8-4-step] follows the field with the largest step, listed first; an equal definition requires none', () => {
    expect(step({ Title: 'Other', AutoStart: true })).toEqual(['major', '2.0.0', ['AutoStart', 'Title']]);
    expect(step({ Version: '9.9.9' })).toEqual(['none', null, []]);
    expect(meetsMinimumVersion('2.0.0', '1.1.0')).toBe(true);
    expect(meetsMinimumVersion('1.0.9', '1.1.0')).toBe(false);
  });
});
