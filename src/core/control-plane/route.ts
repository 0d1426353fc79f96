import { sourceId, type SourceDefinition } from '#shared/resolver';
import type {
  Action,
  Question,
  QuestionChoice,
  ReasonCode,
  RouteCandidate,
  RouteTrace,
  Routing,
} from '#shared/route';
import { actOnAnswer, isQuestionValid } from './act-on-answer';
import { launch, openPickerOrAsk, openList, invokeOrConfirm } from './actions';
import { resolved, traced, lossReason, type Candidate } from './candidate';
import { fold } from './fold';
import { findCandidates } from './find-candidates';
import { fewItems } from './item-index';
import { readAnswer } from './read-answer';
import type { RouteContext } from './route-context';
import { answerIdle, readSlash, routeSlash } from './route-slash';
import { askAboutName, askAboutSlash } from './unknown-name';
import { readUtterance } from './utterance';
import { shownName } from './wording';

const maxLineLength = 256;
/** A slash command may take an id, and an id may be a long path. */
const maxSlashLineLength = 4_200;
const maxTokens = 32;
/** Embeddings, overrides and isolates display a text in another order than the stored one. */
const reordered = /[\u202a-\u202e\u2066-\u2069]/u;
const lineBreak = /[\n\r\u0085\u2028\u2029\u000b\u000c]/u;

/** A decision without the mode and the rest of the trace. */
interface Decided {
  readonly action: Action;
  readonly folded?: string;
  readonly candidates?: readonly RouteCandidate[];
  readonly decision: string;
  readonly question?: RouteTrace['question'];
}

const toModel = (reasonCode: ReasonCode, decision: string, more: Partial<Decided> = {}): Decided => ({
  action: { type: 'continue-with-llm', reasonCode },
  decision,
  ...more,
});

/** Rejects lines that cannot be a command, before any other work on the text. */
function refuse(line: string): Decided | undefined {
  if (line === '') return toModel('empty', 'An empty line is not a command.');
  const maxLength = line.startsWith('/') ? maxSlashLineLength : maxLineLength;
  if (line.length > maxLength) return toModel('too-long', 'It is longer than any command.');
  if (lineBreak.test(line)) return toModel('many-lines', 'A command is one line.');
  if (reordered.test(line))
    return toModel('no-match', 'It contains characters that change the order in which text is shown.');
  return undefined;
}

/** The command of a question that lists items, if all choices belong to the same command. */
function listedCommand({ asker, choices = [] }: Question, context: RouteContext) {
  const [first, ...others] = choices;
  if (first?.resolvedId === undefined || others.length === 0 || asker !== 'router') return undefined;
  const same = others.every(({ commandId }) => commandId === first.commandId);
  return same ? context.table.commands.get(first.commandId) : undefined;
}

/**
 * Accepts an item that the question did not list: the full id, name or alias of any item in the same
 * command's list answers the question.
 */
function namedInFull(text: string, question: Question, context: RouteContext): Decided | undefined {
  const command = listedCommand(question, context);
  const [item, twin] = (command && context.indexOf(command.resolverSource)?.strict(text)) ?? [];
  if (!command || !item || twin) return undefined;
  const { id, displayName } = item.header;
  const choices = [{ label: displayName, commandId: command.commandId, resolvedId: id }];
  const action = actOnAnswer({ choice: 0 }, { ...question, choices }, context);
  if (!action) return undefined;
  return {
    action,
    folded: fold(text),
    decision: 'The line names an item the open question is about.',
    question: { questionId: question.questionId, reading: 'choice' },
  };
}

function answer(text: string, context: RouteContext): Decided | undefined {
  const { question } = context;
  if (!question || !isQuestionValid(question, context)) return undefined;
  const reading = readAnswer(text, question);
  if (reading === 'no-answer') return namedInFull(text, question, context);
  const action = actOnAnswer(reading, question, context);
  if (!action) return undefined;
  const kind = typeof reading === 'string' ? reading : 'choice';
  return {
    action,
    folded: fold(text),
    decision: 'The line answers the open question.',
    question: { questionId: question.questionId, reading: kind },
  };
}

/** The line's own noun for the kind of item; as the picker's filter text, it lists everything. */
function namedKind(definition: SourceDefinition | undefined, folded: string): string | undefined {
  const nouns = [...(definition?.nouns.many ?? []), ...(definition?.nouns.one ?? [])];
  return nouns.find((noun) => ` ${folded} `.includes(` ${fold(noun)} `));
}

function actionFor(candidate: Candidate, context: RouteContext, folded: string): Action | undefined {
  const { rule, slot, resolution, list } = candidate;
  const { command } = rule;
  if (list) {
    const kind = namedKind(context.table.sources.get(sourceId(rule.source)), folded);
    return command.commandKind === 'launcher'
      ? launch(command, context, kind)
      : openList(command, context, kind);
  }
  const [item] = resolution.items;
  if (resolution.strict && item) return invokeOrConfirm(command, item, context);
  const { items, count } = resolution;
  const prefilter = slot ? { prefilter: slot.written } : {};
  return openPickerOrAsk(command, context, { items, count, highlight: true, ...prefilter });
}

function whichOne(winners: readonly Candidate[]): Action {
  const choices = winners
    .flatMap(({ rule: { command }, resolution: { items } }): readonly QuestionChoice[] => {
      const { commandId, displayName } = command;
      if (items.length === 0) return [{ label: displayName, commandId }];
      return items.slice(0, 2).map(({ header }) => ({
        label: `${displayName}: ${shownName(header)}`,
        commandId,
        resolvedId: header.id,
      }));
    })
    .slice(0, fewItems);
  const options = choices.map(({ label }) => label);
  return { type: 'ask-clarifying-question', questionText: 'Which one?', options, choices };
}

/** The best candidate, and those of other commands that rank equally. */
function winnersOf(candidates: readonly Candidate[]): readonly Candidate[] {
  const able = candidates.filter(resolved);
  const [best] = able;
  if (!best) return [];
  const alike = able.filter((candidate) => lossReason(candidate, best) === undefined);
  const commands = new Set(alike.map(({ rule }) => rule.command.commandId));
  return [...commands].flatMap((id) => alike.find(({ rule }) => rule.command.commandId === id) ?? []);
}

function routePattern(line: string, context: RouteContext): Decided {
  const utterance = readUtterance(line);
  const { folded } = utterance;
  if (utterance.tokens.length > maxTokens) return toModel('too-long', 'It has more words than any command.');
  const { candidates, questioned } = findCandidates(utterance, context);
  const winners = winnersOf(candidates);
  const [winner] = winners;
  const trace = { folded, candidates: candidates.map((candidate) => traced(candidate, winners)) };
  if (!winner) {
    const action = askAboutName(candidates, context);
    if (action) return { action, decision: 'Nothing here has the name that it gives.', ...trace };
    const idle = answerIdle(folded, candidates, context);
    if (idle) return { action: idle, decision: 'It names a command with nothing to act on.', ...trace };
    if (candidates.length > 0)
      return toModel('unresolved', 'A pattern matches, but nothing here has the name that it gives.', trace);
    if (questioned) return toModel('question-mark', 'It is a question, not a request.', trace);
    return toModel('no-match', 'No pattern matches the whole line.', trace);
  }
  const action = winners.length > 1 ? whichOne(winners) : actionFor(winner, context, folded);
  if (!action) return toModel('unresolved', 'There is nothing to choose from.', trace);
  const decision = winners.length > 1 ? 'Several commands match equally well.' : winReason(winner);
  return { action, decision, ...trace };
}

function winReason({ rule: { command }, resolution, list }: Candidate): string {
  const how = list ? 'The line asks for a list.' : resolution.why;
  return `${command.displayName}: ${how}`;
}

function routeLine(line: string, context: RouteContext): Decided {
  const slash = readSlash(line);
  if (!slash)
    return line.length > maxLineLength
      ? toModel('too-long', 'It is longer than any command.')
      : routePattern(line, context);
  const routing = routeSlash(slash, context);
  const folded = `/${slash.name}${slash.rest === '' ? '' : ` ${fold(slash.rest)}`}`;
  if (!routing && context.withheld.has(slash.name))
    return toModel('role-required', `/${slash.name} needs a role you do not have.`, { folded });
  if (!routing) {
    const decision = `No active command is called /${slash.name}.`;
    const action = askAboutSlash(slash, context);
    return action ? { action, decision, folded } : toModel('unknown-slash', decision, { folded });
  }
  const { candidate, action } = routing;
  const candidates = [traced(candidate, action ? [candidate] : [])];
  if (!action) return toModel('unresolved', 'There is nothing to choose from.', { folded, candidates });
  return { action, folded, candidates, decision: winReason(candidate) };
}

function decide(text: string, context: RouteContext): Decided {
  const line = text.trim();
  const refused = refuse(line);
  if (refused) return refused;
  return answer(line, context) ?? routeLine(line, context);
}

/**
 * Routes a line of input before any model sees it. Pure, total and deterministic: returns exactly one action
 * and changes nothing (AGN-000037 §3, §7, §8). The trace lists everything that was considered, as data.
 */
export function route(text: string, context: RouteContext): Routing {
  const { question: open, mode, unavailable } = context;
  const { action, folded = '', candidates = [], decision, question } = decide(text, context);
  const unanswered = open ? { questionId: open.questionId, reading: 'no-answer' as const } : undefined;
  const questionTrace = question ?? unanswered;
  return {
    action,
    trace: {
      folded,
      mode,
      candidates: [...candidates],
      decision,
      ...(questionTrace ? { question: questionTrace } : {}),
      unavailable: [...unavailable],
    },
  };
}
