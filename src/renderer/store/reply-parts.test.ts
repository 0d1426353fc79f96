import type { CallRecord, SessionFact } from '#shared/session-event';
import { turnAt } from '#shared/session-state';
import { expect, it } from 'vitest';
import { writeNotes } from '../../testing/guarded-workflows';
import { sampleModel, sessionOf } from '../../testing/sample-session';
import { partsOf } from './reply-parts';

const line: SessionFact = {
  type: 'message-sent',
  turn: 0,
  text: 'write the notes',
  runMode: 'ask',
  model: sampleModel,
};
const begun: SessionFact = { type: 'reply-started', turn: 0, model: sampleModel, providerName: 'Local' };
const says = (text: string): SessionFact => ({ type: 'reply-extended', turn: 0, text });
const calls = (tool: string): SessionFact => {
  const call: CallRecord = { callId: tool, tool, argumentsPreview: '{}', outcome: 'done', ms: 1, bytes: 2 };
  return { type: 'host-tool-called', turn: 0, call };
};
const noWhere = { binding: false, mode: 'general', focusId: null, asked: 1 };
const asks = (questionId: string): SessionFact => ({
  type: 'question-asked',
  turn: 0,
  question: { questionId, asker: 'model', text: questionId, options: ['Yes', 'No'], ...noWhere },
});
const starts: SessionFact = {
  type: 'workflow-started',
  workflowRunId: 'w',
  turn: 0,
  definition: writeNotes,
  hash: 'h',
  by: 'model',
  cause: { toolCallId: 'c' },
  proposed: {},
};

function shown(facts: readonly SessionFact[], live = ''): readonly string[] {
  const turn = turnAt(sessionOf([line, begun, ...facts]), 0);
  if (!turn?.reply) throw new Error('The sample has no reply.');
  return partsOf(turn, turn.reply, turn.reply.text + live).map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text.trim();
      case 'calls':
        return `[${part.calls.map(({ tool }) => tool).join(' ')}]`;
      case 'question':
        return `${part.question.questionId}?`;
      case 'moment':
        return `(${part.moment.kind})`;
    }
  });
}

it('[T6-6-6-order] words, calls, questions and workflow events are shown in order of time', () => {
  const facts = [
    ...[says('I start it.'), asks('start'), starts, calls('agent_start_workflow')],
    ...[calls('get_manifest'), says('\n\nI read the file.'), calls('read_text')],
    ...[asks('approve'), calls('write_file'), says('\n\nAll is written.')],
  ];
  expect(shown(facts)).toEqual([
    ...['I start it.', 'start?', '(started)', '[agent_start_workflow get_manifest]'],
    ...['I read the file.', '[read_text]', 'approve?', '[write_file]', 'All is written.'],
  ]);
});

it('[T6-6-6-order] text that still arrives comes last', () => {
  expect(shown([says('One.'), calls('look')], '\n\nTwo')).toEqual(['One.', '[look]', 'Two']);
  expect(shown([calls('look')])).toEqual(['[look]']);
  expect(shown([], 'Only words')).toEqual(['Only words']);
});
