import { describe, expect, it } from 'vitest';
import type { Action } from '#shared/route';
import { seedContext, templateInFocus } from '../../testing/routing-context';
import type { RouteContext } from './route-context';
import { route } from './route';

const actionOf = (line: string, context: RouteContext): Action => route(line, context).action;

describe('the flows of the specification', () => {
  it('[CPR-9-A] switches to the DDR mode', () => {
    const { action, trace } = route('switch to DDR mode', seedContext());
    expect(action).toEqual({ type: 'invoke-command', commandId: 'SetMode', resolvedId: 'ddr_authoring' });
    expect(trace.candidates[0]).toMatchObject({
      tier: 'exact-name',
      strict: true,
      outcome: 'won',
      slot: 'DDR',
    });
  });

  it('[CPR-9-B] opens the picker of email templates, filled with their name', () => {
    const { action } = route('I want to work on email templates', seedContext());
    expect(action).toMatchObject({
      type: 'open-picker',
      commandId: 'SetActiveEmailTemplate',
      source: { catalogId: 'email_templates' },
      prefilterText: 'email templates',
    });
    const index = seedContext().indexOf({ catalogId: 'email_templates' });
    expect(index?.search('email templates', 0, 100).total).toBe(index?.size);
  });

  it('[CPR-9-C] leaves a request to rewrite text to the model', () => {
    const context = seedContext({ focus: templateInFocus });
    expect(actionOf('rewrite this template for the CFO persona', context)).toEqual({
      type: 'continue-with-llm',
      reasonCode: 'no-match',
    });
  });

  it('[CPR-9-D] [CPR-8-confirm] asks before it sends', () => {
    expect(actionOf('send this to the Q1 pilot list', seedContext({ focus: templateInFocus }))).toEqual({
      type: 'ask-clarifying-question',
      questionText: "Confirm send to 'Q1 pilot list'?",
      options: ['Yes', 'No'],
      commandId: 'SendTemplateToMailerList',
      resolvedId: 'LIST-9',
    });
  });

  it('offers to choose a template when no template is in focus', () => {
    expect(actionOf('send this to the Q1 pilot list', seedContext())).toMatchObject({
      type: 'ask-clarifying-question',
      options: ['Yes', 'No'],
      choices: [{ label: 'Yes', commandId: 'OpenEmailTemplates' }],
    });
  });
});

describe('an inexact match', () => {
  it('[CPR-8-picker] opens a picker in a window, and executes nothing', () => {
    expect(actionOf('use the CFO persona', seedContext())).toEqual({
      type: 'open-picker',
      commandId: 'SetActivePersona',
      pickerType: 'list',
      source: { catalogId: 'personas' },
      prefilterText: 'CFO',
      highlightId: 'PERS-22',
    });
  });

  it('[CPR-8-one-question] asks one question without a window', () => {
    const action = actionOf('use the CFO persona', seedContext({ ui: false }));
    expect(action).toMatchObject({
      type: 'ask-clarifying-question',
      options: ['CFO - MidMarket', 'CFO - Enterprise'],
      choices: [{ resolvedId: 'PERS-22' }, { resolvedId: 'PERS-23' }],
    });
  });

  it('[CPR-8-one-question] offers at most five items, and says how many there are', () => {
    const action = actionOf('work on email templates', seedContext({ ui: false }));
    expect(action.type === 'ask-clarifying-question' && action.options?.length).toBe(5);
    expect(action).toMatchObject({ questionText: expect.stringContaining('5 of 7') as string });
  });

  it('[CPR-8-strict-only] without a window runs only an exact name', () => {
    const context = seedContext({ ui: false });
    expect(actionOf('open template TPL-123', context).type).toBe('invoke-command');
    expect(actionOf('open template TPL-132', context)).toMatchObject({
      type: 'ask-clarifying-question',
      questionText: 'Do you mean “Q1 CFO Outreach”?',
    });
  });

  it('[CPR-8-confirm] still asks in the words of its row', () => {
    const context = seedContext({ ui: false, focus: templateInFocus });
    expect(actionOf('send this to the beta tester list', context)).toMatchObject({
      type: 'ask-clarifying-question',
      questionText: "Confirm send to 'Beta testers'?",
      resolvedId: 'LIST-17',
    });
  });

  it('[CPR-7-resolve] has its tier as data', () => {
    const tierOf = (line: string): unknown => route(line, seedContext()).trace.candidates[0]?.tier;
    expect(tierOf('open template TPL-123')).toBe('exact-id');
    expect(tierOf('use the newsletter template')).toBe('exact-name');
    expect(tierOf('use the renewal template')).toBe('prefix');
    expect(tierOf('use the finance template')).toBe('keyword');
    expect(tierOf('use the newsleter template')).toBe('near-miss');
  });

  it('[CPR-7-resolve] includes names that differ in punctuation', () => {
    expect(actionOf('use the CFO MidMarket persona', seedContext()).type).toBe('open-picker');
    expect(actionOf('use the CFO - MidMarket persona', seedContext()).type).toBe('invoke-command');
    expect(actionOf('open template tpl123', seedContext())).toMatchObject({ highlightId: 'TPL-123' });
  });

  it('offers outdated items, and never invokes them', () => {
    const context = { ...seedContext(), stale: () => true };
    expect(actionOf('open template TPL-123', context)).toMatchObject({
      type: 'open-picker',
      highlightId: 'TPL-123',
    });
    expect(actionOf('/template TPL-123', context)).toMatchObject({
      type: 'open-picker',
      highlightId: 'TPL-123',
    });
  });

  it('continues without a source that cannot be searched', () => {
    const context = { ...seedContext(), indexOf: () => undefined, unavailable: ['email_templates'] };
    const { action, trace } = route('open template TPL-123', context);
    expect(action.type).toBe('continue-with-llm');
    expect(trace.unavailable).toEqual(['email_templates']);
    expect(actionOf('show the email templates', context).type).toBe('open-picker');
  });
});

describe('the routing trace', () => {
  it('[CPR-3-inspectable] names every candidate, why it lost, and what decided', () => {
    const { trace } = route('send this to the Q1 pilot list', seedContext({ focus: templateInFocus }));
    const [won, ...others] = trace.candidates;
    expect(won).toMatchObject({ slot: 'Q1 pilot list', strict: true, outcome: 'won', itemCount: 1 });
    expect(others.length).toBeGreaterThan(0);
    for (const { outcome, why } of others) {
      expect(outcome).not.toBe('won');
      expect(why).not.toBe('');
    }
    expect(trace.decision).toContain('It is named exactly.');
    expect(trace.folded).toBe('send this to the q1 pilot list');
  });

  it('[CPR-8-uncertain] gives the model a reason', () => {
    const reasonOf = (line: string): unknown => {
      const action = actionOf(line, seedContext());
      return action.type === 'continue-with-llm' ? action.reasonCode : action.type;
    };
    expect(reasonOf('')).toBe('empty');
    expect(reasonOf('   ')).toBe('empty');
    expect(reasonOf('x'.repeat(257))).toBe('too-long');
    expect(reasonOf('a '.repeat(40))).toBe('too-long');
    expect(reasonOf('switch to DDR mode\nand more')).toBe('many-lines');
    expect(reasonOf('switch to DDR mode?')).toBe('question-mark');
    expect(reasonOf('switch to vim mode')).toBe('unresolved');
    for (const line of ['/nothing', '/tmp is full', '/node modules are huge'])
      expect(reasonOf(line), line).toBe('unknown-slash');
    expect(reasonOf('hello there')).toBe('no-match');
  });
});
