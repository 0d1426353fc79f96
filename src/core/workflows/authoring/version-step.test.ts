import { describe, expect, it } from 'vitest';
import type { WorkflowDefinition } from '#shared/workflow';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { fieldsOf } from '../../control-plane/check-texts';
import { meetsMinimumVersion, requiredBump, withRequiredVersion } from './version-step';

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

describe('the reason that the author reads', () => {
  const patterns = before.UserIntentPatterns;
  const optional = { ...input, name: 'b', required: false };
  const transitions = (workflows: string[], modes: string[]) => ({
    AllowedTransitions: { workflows, modes },
  });
  const demandsOf = (fields: Partial<WorkflowDefinition>, from: Partial<WorkflowDefinition> = {}) =>
    requiredBump({ ...before, ...from }, { ...before, ...from, ...fields }).demands.map(
      ({ step: wanted, because }) => `${wanted}: ${because}`,
    );
  it.each<[Partial<WorkflowDefinition>, string, Partial<WorkflowDefinition>?]>([
    [{ UserIntentPatterns: ['Do another thing'] }, 'major: entries were changed or removed'],
    [{ UserIntentPatterns: [...patterns, 'Do another thing'] }, 'minor: entries were added'],
    [{ UserIntentPatterns: patterns.toReversed() }, 'patch: the order changed'],
    [{ RequiredInputs: [{ ...input, question: 'Which?' }] }, 'patch: a question was reworded'],
    [{ RequiredInputs: [input, optional] }, 'minor: an optional input was added'],
    [{ RequiredInputs: [input, optional, { ...input, name: 'c' }] }, 'major: the required inputs changed'],
    [{ RequiredInputs: [optional] }, 'major: the required inputs changed'],
    [
      { RequiredInputs: [input, { ...optional, type: 'path' }] },
      'major: the required inputs changed',
      { RequiredInputs: [input, optional] },
    ],
    [{ InstructionText: '1. Ask what it is about. 2. Create it.' }, 'patch: only spaces changed'],
    [{ InstructionText: '1.Askwhatitisabout.2.Createit.' }, 'major: the steps changed'],
    [{ Visibility: 'hidden' }, 'major: fewer users can find it'],
    [{ Visibility: 'public' }, 'minor: more users can find it', { Visibility: 'hidden' }],
    [{ Status: 'disabled' }, 'major: whether it runs changed'],
    [{ Status: 'active' }, 'major: whether it runs changed', { Status: 'disabled' }],
    [{ Status: 'active' }, 'minor: its warning changed', { Status: 'deprecated' }],
    [{ Preconditions: [{ kind: 'mode', modes: ['general'] }] }, 'patch: an explanation was reworded'],
    [{ Preconditions: [{ kind: 'mode', modes: ['other'] }] }, 'major: when it may run changed'],
    [{ Preconditions: undefined }, 'major: when it may run changed'],
    [{ Description: 'Other.' }, 'patch: a label changed'],
    [{ Notes: 'Other.' }, 'patch: a note changed'],
    [{ Ddr: 'WFL-002' }, 'patch: its design record changed'],
    [{ Extensions: { a: 1 } }, 'minor: additional metadata changed'],
    [{ AutoStart: true }, 'major: its automatic start changed'],
    [{ CompletionCriteria: [{ text: 'Other.' }] }, 'major: its completion criteria changed'],
    [{ RequiredApprovals: [approval] }, 'major: the calls that need approval changed'],
    [transitions(['a_one'], []), 'minor: entries were added'],
    [transitions([], ['general']), 'minor: entries were added'],
    [transitions([], ['a_one']), 'major: entries were changed or removed', transitions(['a_one'], [])],
    [
      { FollowUpOptions: [] },
      'minor: entries were changed or removed',
      { FollowUpOptions: [{ text: 'More' }] },
    ],
  ])('[T6-8-4-step] of %j is %s', (fields, reason, from) => {
    expect(demandsOf(fields, from)).toEqual([reason]);
  });
});

describe('the version of a draft', () => {
  const fields = fieldsOf({ ...before, Notes: 'A note.' });
  it('[T6-8-4-filled] is the smallest that its changes require, unless it is set or high enough', () => {
    expect(withRequiredVersion(before, fields, {})).toEqual({ ...fields, Version: '1.0.1' });
    expect(withRequiredVersion(before, fields, { Version: '1.0.0' })).toBe(fields);
    const higher = { ...fields, Version: '1.0.1' };
    expect(withRequiredVersion(before, higher, {})).toBe(higher);
    expect(withRequiredVersion(undefined, fields, {})).toBe(fields);
    const same = fieldsOf(before);
    expect(withRequiredVersion(before, same, {})).toBe(same);
    const incomplete = { ...fields, Title: '' };
    expect(withRequiredVersion(before, incomplete, {})).toBe(incomplete);
  });
});
