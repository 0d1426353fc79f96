import { z } from 'zod';
import { ContextItems } from './context-item';
import { InputLine } from './input-line';
import { assertNever } from './result';
import { Routing } from './route';

/**
 * When a waiting line is used: after the running stage, at once (the stage is cancelled), or as a turn of its
 * own after the run.
 */
export const QueueTime = z.enum(['stage', 'now', 'after']);
export type QueueTime = z.infer<typeof QueueTime>;

const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

const lineId = z.string();

/** Facts of lines that were typed while a turn was in progress, and of the queue in which they wait. */
export const lineQueueFacts = [
  about('line-queued', {
    lineId,
    ...InputLine.shape,
    /** The context items of the line. */
    items: ContextItems,
    when: QueueTime,
    /** How the line was routed when it was typed. */
    routing: Routing.optional(),
  }),
  /** `held`: the user began to edit the text (true) or ended the edit (false). */
  about('line-edited', {
    lineId,
    text: z.string().optional(),
    when: QueueTime.optional(),
    held: z.boolean().optional(),
  }),
  about('line-withdrawn', { lineId }),
  /** The line moved to the place before another one; null: to the end. */
  about('line-moved', { lineId, before: lineId.nullable() }),
  /**
   * The line became part of the observation of a run's stage; `planning`: it joined the conversation while the stage
   * was planned or its plan waited, which did not run.
   */
  about('line-steered', {
    lineId,
    turn: z.number().int().nonnegative(),
    runId: z.string(),
    stage: z.number().int().positive(),
    planning: z.literal(true).optional(),
  }),
  /** No waiting line is sent before `queue-resumed`, except one that the user then chooses to send now. */
  about('queue-paused', {}),
  about('queue-resumed', {}),
] as const;

type Fact = z.infer<(typeof lineQueueFacts)[number]>;
type QueueFact = Exclude<Fact, { type: 'line-steered' }>;

export interface QueuedLine extends Omit<Extract<Fact, { type: 'line-queued' }>, 'type'> {
  /** The user is editing its text: neither it nor a line after it is used, except one to be used now. */
  readonly held?: true;
}

/** The waiting lines of a session, in order; never empty. */
export interface LineQueue {
  readonly lines: readonly QueuedLine[];
  readonly paused?: true;
}

/** A line that a run took along. */
export interface SteeredLine {
  readonly lineId: string;
  readonly stage: number;
  readonly text: string;
  /** It came while the stage was planned; otherwise it is part of the stage's observation. */
  readonly planning?: true;
  /** The stage was cancelled for it. */
  readonly now?: true;
}

/** The queue with these lines; a queue without lines is absent, and not paused. */
const withLines = (queue: LineQueue | undefined, lines: readonly QueuedLine[]): LineQueue | undefined =>
  lines.length === 0 ? undefined : { ...queue, lines };

export const withoutLine = (queue: LineQueue | undefined, id: string): LineQueue | undefined =>
  withLines(queue, queue?.lines.filter((line) => line.lineId !== id) ?? []);

function changedLine(line: QueuedLine, edit: Extract<Fact, { type: 'line-edited' }>): QueuedLine {
  const { held: wasHeld = false, ...others } = line;
  const { text, when, held: isHeld = wasHeld } = edit;
  return {
    ...others,
    ...(text !== undefined && { text }),
    ...(when && { when }),
    ...(isHeld && { held: isHeld }),
  };
}

/** Stopping withdraws the request to send a line immediately. */
const pausedLine = (line: QueuedLine): QueuedLine =>
  line.when === 'now' ? { ...line, when: 'stage' } : line;

type Move = Extract<Fact, { type: 'line-moved' }>;

/** The lines in their new order; unchanged if one of the named lines does not wait. */
function movedLines(lines: readonly QueuedLine[], { lineId: id, before }: Move): readonly QueuedLine[] {
  const moved = lines.find((line) => line.lineId === id);
  const others = lines.filter((line) => line.lineId !== id);
  const place = before === null ? others.length : others.findIndex((line) => line.lineId === before);
  return moved && place !== -1 ? others.toSpliced(place, 0, moved) : lines;
}

/** The queue after one more fact. */
export function applyQueueFact(queue: LineQueue | undefined, fact: QueueFact): LineQueue | undefined {
  const lines = queue?.lines ?? [];
  switch (fact.type) {
    case 'line-queued': {
      const { lineId: id, text, runMode, model, workspace, parameters, review, planAnew, fresh } = fact;
      const { items, when, routing } = fact;
      const line = { lineId: id, text, runMode, model, workspace, parameters, review, planAnew, fresh };
      return withLines(queue, [...lines, { ...line, items, when, routing }]);
    }
    case 'line-edited':
      return withLines(
        queue,
        lines.map((line) => (line.lineId === fact.lineId ? changedLine(line, fact) : line)),
      );
    case 'line-withdrawn':
      return withoutLine(queue, fact.lineId);
    case 'line-moved':
      return withLines(queue, movedLines(lines, fact));
    case 'queue-paused':
      return queue && { lines: lines.map(pausedLine), paused: true };
    case 'queue-resumed':
      return queue && { lines };
    default:
      return assertNever(fact);
  }
}

/**
 * The line that becomes the next turn; a paused queue, and one whose first line is being edited, return only a line
 * that is to be sent now.
 */
export const nextLine = ({ lines, paused }: LineQueue): QueuedLine | undefined =>
  lines.find((line) => line.when === 'now' && !line.held) ??
  (paused || lines[0]?.held ? undefined : lines[0]);

/** Whether a waiting line is a command, which takes effect when the stage ends. */
export const isCommandLine = ({ routing }: Pick<QueuedLine, 'routing'>): boolean =>
  routing?.action.type === 'invoke-command';

/**
 * Whether a line can become part of a run's observation. An observation has no place for attached items, so a line
 * with items becomes a turn.
 */
export const canSteer = ({ runMode, items }: Pick<QueuedLine, 'runMode' | 'items'>): boolean =>
  runMode === 'agent' && items.length === 0;

/**
 * What the end of a stage takes from the queue, in order. A command waits for the lines before it that stay, and
 * a line for the next stage waits for a command, and a line under edit, before it that stays.
 */
export function stageEndLines({ lines, paused }: LineQueue): readonly QueuedLine[] {
  const taken: QueuedLine[] = [];
  let [lineStays, commandStays] = [false, false];
  for (const line of lines) {
    const { when, held: isHeld } = line;
    const isCommand = isCommandLine(line);
    const usable = (isCommand || canSteer(line)) && !isHeld;
    const blocked = when === 'after' || paused === true || (isCommand ? lineStays : commandStays);
    if (usable && (when === 'now' || !blocked)) taken.push(line);
    else if (isCommand || isHeld) commandStays = lineStays = true;
    else lineStays = true;
  }
  return taken;
}

/** The lines that the next observation of a run takes along. */
export const steeringLines = (queue: LineQueue): readonly QueuedLine[] =>
  stageEndLines(queue).filter((line) => !isCommandLine(line));
