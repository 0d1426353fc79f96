import { describe, expect, it } from 'vitest';
import type { Question } from '#shared/route';
import { seedContext, templateInFocus } from '../../testing/routing-context';
import { actOnAnswer } from './act-on-answer';
import { readAnswer } from './read-answer';
import type { RouteContext } from './route-context';
import { route } from './route';

const sending: Question = {
  questionId: 'q1',
  asker: 'router',
  text: "Confirm send to 'Q1 pilot list'?",
  options: ['Yes', 'No'],
  commandId: 'SendTemplateToMailerList',
  resolvedId: 'LIST-9',
  yesWords: ['send', 'send it'],
  binding: true,
  mode: 'general',
  focusId: 'TPL-123',
  asked: 1,
};

const choosing: Question = {
  questionId: 'q2',
  asker: 'router',
  text: 'Which mailer list?',
  options: ['Q1 pilot list', 'Q1 general list'],
  choices: [
    { label: 'Q1 pilot list', commandId: 'SendTemplateToMailerList', resolvedId: 'LIST-9' },
    { label: 'Q1 general list', commandId: 'SendTemplateToMailerList', resolvedId: 'LIST-10' },
  ],
  binding: false,
  mode: 'general',
  focusId: 'TPL-123',
  asked: 1,
};

const general = seedContext({ focus: templateInFocus });
const asked = (question: Question, more: Partial<RouteContext> = {}): RouteContext => ({
  ...general,
  question,
  ...more,
});
const sent = { type: 'invoke-command', commandId: 'SendTemplateToMailerList', resolvedId: 'LIST-9' };

describe('an unknown name', () => {
  const questionOf = (line: string, context: RouteContext) => {
    const { action } = route(line, context);
    if (action.type !== 'ask-clarifying-question') throw new Error(`${line} led to ${action.type}.`);
    return action;
  };

  it('[CPR-unknown-slash] after a slash is answered with similar names', () => {
    expect(questionOf('/mod ddr_authoring', general)).toMatchObject({
      questionText: 'There is no /mod. Did you mean one of these?',
      options: ['/mode ddr_authoring', 'Leave it'],
      choices: [{ commandId: 'SetMode', resolvedId: 'ddr_authoring' }],
    });
    expect(questionOf('/recipie', general).options).toEqual(['/recipe', 'Leave it']);
    expect(questionOf('/recipie', seedContext({ ui: false })).options).toEqual(['/recipe', 'Leave it']);
  });

  it('[CPR-unknown-slash] of another mode offers that mode, and the line continues there', () => {
    expect(questionOf('/send LIST-9', seedContext({ mode: 'ddr_authoring' }))).toEqual({
      type: 'ask-clarifying-question',
      questionText: '/send belongs to the mode “General”. Switch to it first?',
      options: ['Yes', 'No'],
      commandId: 'SetMode',
      resolvedId: 'general',
      resume: '/send LIST-9',
    });
  });

  it('[CPR-unknown-workflow] is answered with the existing workflows when the line asks for a workflow', () => {
    expect(questionOf('use workflow: nope_nope', general)).toMatchObject({
      questionText: 'Unknown workflow ‘nope_nope’. Choose an existing one?',
      options: ['Start a workflow…', 'Leave it'],
    });
    expect(questionOf('start workflow: create_something_else', general)).toMatchObject({
      choices: [{ commandId: 'StartWorkflow', resolvedId: 'create_ddr' }, { commandId: 'StartWorkflow' }],
    });
    for (const line of [
      'use workflow: ci.yml',
      'use workflow: first lint, then build, then deploy it',
      'run the nightly workflow',
      'use template: base.html',
      'what is workflow: nope_nope?',
    ]) {
      expect(route(line, general).action.type, line).toBe('continue-with-llm');
    }
  });

  it('[CPR-unknown-slash] is left alone when the answer declines', () => {
    const { questionText: text, options = [], choices = [] } = questionOf('use workflow: nope', general);
    const question = { ...choosing, text, options, choices };
    for (const line of ['Leave it', 'no', 'never mind']) {
      expect(route(line, asked(question)).action).toMatchObject({ reasonCode: 'question-declined' });
    }
    expect(route('1', asked(question)).action).toMatchObject({ commandId: 'StartWorkflow' });
  });
});

describe('an open question', () => {
  it('[CPR-8-answer] takes a plain yes or no of another language', () => {
    for (const line of ['ja', 'Ja, bitte', 'Sí', 'oui', 'да', 'はい', '是'])
      expect(route(line, asked(sending)).action, line).toEqual(sent);
    for (const line of ['nein', 'non', 'não', 'нет', 'いいえ', '不'])
      expect(route(line, asked(sending)).action, line).toMatchObject({ reasonCode: 'question-declined' });
    for (const line of ['ja, aber erst später', 'si tu veux', 'da fehlt etwas'])
      expect(route(line, asked(sending)).trace.question?.reading, line).toBe('no-answer');
  });

  it('[CPR-9-D] [CPR-8-confirm] on yes runs exactly what was shown', () => {
    for (const line of [
      'Yes',
      'y',
      'yep!',
      'yes please',
      'Do it.',
      'go ahead',
      'send it',
      'ok, send it',
      'confirm',
    ]) {
      const { action, trace } = route(line, asked(sending));
      expect(action, line).toEqual(sent);
      expect(trace.question).toEqual({ questionId: 'q1', reading: 'yes' });
    }
  });

  it('on no runs nothing, and calls no model', () => {
    for (const line of [
      'No',
      'n',
      'nope',
      'cancel',
      'Stop!',
      'never mind',
      'not now',
      'no thanks',
      "don't send it",
    ]) {
      expect(route(line, asked(sending)).action, line).toEqual({
        type: 'continue-with-llm',
        reasonCode: 'question-declined',
      });
    }
  });

  it('[CPR-8-answer] is not answered by a line that says more', () => {
    const lines = [
      'Yes, but explain why first',
      'yes?',
      'is it safe?',
      '"yes"',
      'yes/no',
      'yes and then work on email templates',
      'not sure',
      'no idea what that list is',
      'what is on the list?',
      'yesterday',
    ];
    for (const line of lines) {
      const { action, trace } = route(line, asked(sending));
      expect(action.type, line).toBe('continue-with-llm');
      expect(action, line).not.toMatchObject({ reasonCode: 'question-declined' });
      expect(trace.question).toEqual({ questionId: 'q1', reading: 'no-answer' });
    }
  });

  it('[CPR-8-answer] is answered by the number that the terminal prints before Yes or No', () => {
    for (const line of ['1', ' 1 ', '1)']) {
      expect(route(line, asked(sending)).action, line).toMatchObject(sent);
    }
    expect(route('2', asked(sending)).action).toMatchObject({ reasonCode: 'question-declined' });
    for (const line of ['0', '3', '1 2', '12', 'first', 'number 1', '1.5']) {
      expect(route(line, asked(sending)).action, line).toMatchObject({ type: 'continue-with-llm' });
      expect(route(line, asked(sending)).trace.question, line).toMatchObject({ reading: 'no-answer' });
    }
  });

  it('[CPR-8-answer] is replaced by another command, which is routed as usual with its own question', () => {
    expect(route('no, send it to LIST-10', asked(sending)).action).toMatchObject({
      type: 'ask-clarifying-question',
      resolvedId: 'LIST-10',
    });
    expect(route('switch to DDR mode', asked(sending)).action).toMatchObject({ commandId: 'SetMode' });
    expect(route('/mode', asked(sending)).action.type).toBe('open-picker');
  });

  it('[CPR-8-answer] is void once the mode or the focus changed', () => {
    const elsewhere = { ...templateInFocus, entityHeader: { id: 'TPL-124', displayName: 'Other' } };
    for (const more of [{ mode: 'ddr_authoring' }, { focus: elsewhere }, { focus: null }]) {
      expect(route('yes', asked(sending, more)).action).toEqual({
        type: 'continue-with-llm',
        reasonCode: 'no-match',
      });
    }
  });

  it('[CPR-8-answer] does not run a command that is no longer active', () => {
    const { table } = seedContext({ mode: 'ddr_authoring' });
    expect(route('yes', asked(sending, { table })).action).toEqual({
      type: 'continue-with-llm',
      reasonCode: 'question-withdrawn',
    });
  });

  it('[CPR-8-consent] is asked once more after OK, and then withdrawn', () => {
    for (const line of ['ok', 'sure', 'fine', 'Sounds good!', 'okay thanks']) {
      expect(route(line, asked(sending)).action, line).toEqual({
        type: 'ask-clarifying-question',
        questionText: sending.text,
        options: ['Yes', 'No'],
        commandId: 'SendTemplateToMailerList',
        resolvedId: 'LIST-9',
      });
      expect(route(line, asked({ ...sending, asked: 2 })).action, line).toEqual({
        type: 'continue-with-llm',
        reasonCode: 'question-withdrawn',
      });
    }
  });

  it('without a side effect accepts OK as a yes', () => {
    const harmless: Question = {
      ...sending,
      commandId: 'SetMode',
      resolvedId: 'ddr_authoring',
      binding: false,
    };
    expect(route('ok', asked(harmless)).action).toMatchObject({
      commandId: 'SetMode',
      resolvedId: 'ddr_authoring',
    });
  });

  it('[CPR-8-confirm] is answered by label, id, number or position, and a side effect still asks', () => {
    const lines = [
      'Q1 general list',
      'q1 general list.',
      'LIST-10',
      '2',
      '2.',
      '#2',
      'option 2',
      'the second',
      'second one',
    ];
    for (const line of lines) {
      const { action, trace } = route(line, asked(choosing));
      expect(action, line).toMatchObject({
        type: 'ask-clarifying-question',
        resolvedId: 'LIST-10',
        options: ['Yes', 'No'],
      });
      expect(trace.question?.reading).toBe('choice');
    }
    for (const line of ['3', '0', 'yes', 'the third', 'both', 'Q1']) {
      expect(route(line, asked(choosing)).trace.question?.reading, line).toBe('no-answer');
    }
    expect(route('none of them', asked(choosing)).action).toMatchObject({ reasonCode: 'question-declined' });
  });

  it('[CPR-8-answer] is answered by the full name or id of an item that it does not list', () => {
    const free = seedContext({ ui: false });
    const { action } = route('/template', free);
    if (action.type !== 'ask-clarifying-question') throw new Error('No question was asked.');
    expect(action.questionText).toContain('type the full name of any other');
    expect(action.choices?.map(({ resolvedId }) => resolvedId)).not.toContain('TPL-123');
    const question: Question = {
      ...choosing,
      options: action.options ?? [],
      choices: action.choices ?? [],
      focusId: null,
    };
    for (const line of ['TPL-123', 'q1 cfo outreach']) {
      expect(route(line, { ...free, question }).action, line).toMatchObject({ resolvedId: 'TPL-123' });
    }
    expect(route('TPL-124567', { ...free, question }).trace.question?.reading).toBe('no-answer');
  });

  it('that offers to choose a focus leads to its picker', () => {
    const free = seedContext();
    const question = route('send this to the Q1 pilot list', free).action;
    if (question.type !== 'ask-clarifying-question') throw new Error('No question was asked.');
    const open: Question = {
      ...choosing,
      text: question.questionText,
      options: question.options ?? [],
      choices: question.choices ?? [],
      focusId: null,
    };
    expect(route('yes', { ...free, question: open }).action).toMatchObject({
      type: 'open-picker',
      commandId: 'SetActiveEmailTemplate',
    });
  });

  it('of a model is not answered by a line', () => {
    expect(readAnswer('yes', { ...sending, asker: 'model' })).toBe('no-answer');
    expect(actOnAnswer('no-answer', sending, general)).toBeNull();
  });

  it('accepts any label as an answer, whatever its characters', () => {
    const odd: Question = { ...choosing, options: ['What (now)?', 'Q1 general list'] };
    expect(readAnswer('What (now)?', odd)).toEqual({ choice: 0 });
  });
});
