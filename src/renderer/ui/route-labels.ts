import type { Action, ReasonCode, RouteCandidate, Tier } from '#shared/route';

export const tierLabels: Readonly<Record<Tier, string>> = {
  'exact-id': 'Exact id',
  'exact-name': 'Exact name',
  prefix: 'Beginning',
  keyword: 'Words',
  'near-miss': 'Near miss',
};

export const outcomeLabels: Readonly<Record<RouteCandidate['outcome'], string>> = {
  won: 'Won',
  lost: 'Lost',
  unresolved: 'Not found',
};

export const actionLabels: Readonly<Record<Action['type'], string>> = {
  'open-picker': 'Opens a list to choose from',
  'invoke-command': 'Runs a command',
  'ask-clarifying-question': 'Asks a question',
  'continue-with-llm': 'Goes to the model',
};

export const reasonLabels: Readonly<Record<ReasonCode, string>> = {
  'no-match': 'No command is spoken of.',
  empty: 'There is nothing to route.',
  'too-long': 'It is too long to be a command.',
  'many-lines': 'It has more than one line.',
  unresolved: 'A command fits, but nothing it names was found.',
  'question-mark': 'It is a question.',
  'unknown-slash': 'No command has this slash name.',
  'question-declined': 'You said no to what was asked.',
  'question-withdrawn': 'The question before it was withdrawn.',
  'role-required': 'The command needs a role you do not have.',
};
