import type { Turn } from '#shared/session-state';
import { ArrowRight, Signpost, Undo2 } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror } from '../../store/app-context';
import { slashLine, slashRows } from '../../store/slash-lines';
import { Button } from '../../ui/button';
import { CommandLine } from './command-line';
import { PickerCard } from './picker-card';
import { QuestionCard } from './question-card';
import { routingText } from './route-text';

/** The command that handled a line; opens the trace. */
export function RoutedBy({ turn }: { readonly turn: Turn }) {
  const { commands } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const words = turn.route && routingText(plane, turn.route);
  if (words === undefined || words === null) return null;
  return (
    <button
      type="button"
      title={text('controlPlane.route.openTrace')}
      onClick={() => commands.inspect(turn.turn, 'trace')}
      className="-ms-1.5 flex min-h-6 max-w-full items-center gap-1.5 rounded-md px-1.5 text-start text-xs text-muted transition-colors hover:bg-hover hover:text-text"
    >
      <Signpost aria-hidden size={13} className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">{words}</span>
    </button>
  );
}

function Branched({ turn }: { readonly turn: Turn }) {
  const { commands } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const { branchedTo } = turn;
  if (!branchedTo) return null;
  const { sessionId, mode } = branchedTo;
  const name = plane?.modes.find(({ id, key }) => id === mode || key === mode)?.displayName ?? mode;
  return (
    <button
      type="button"
      onClick={() => void commands.openSession(sessionId)}
      className="-ms-1.5 flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-sm text-accent-text hover:bg-hover"
    >
      <ArrowRight aria-hidden className="size-3.5 shrink-0" />
      {text('controlPlane.branched', { mode: name })}
    </button>
  );
}

const byModel = ({ questions }: Turn) => questions?.some(({ asker }) => asker === 'model') ?? false;

/** Whether the line can still be sent to the model: its question is open, or its command has ended. */
function canGoToModel({ route, questions, command, reply, run }: Turn): boolean {
  if (!route || reply || run) return false;
  const asks = questions?.some(({ asker, status }) => asker === 'router' && status === 'open') ?? false;
  return asks || (command !== undefined && command.status !== 'running');
}

/** Takes back what the newest line's command changed, by the command that restores it. */
function UndoCommand({ turn }: { readonly turn: Turn }) {
  const { commands } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const newest = useCurrentSession((session) => session?.head);
  const undo = turn.command?.undo;
  const row = undo && slashRows(plane).find(({ commandId }) => commandId === undo.commandId);
  if (!undo || !row || turn.turn !== newest) return null;
  return (
    <Button
      tone="quiet"
      className="-ms-1.5 h-7 self-start px-1.5 text-xs"
      onClick={() => void commands.send(slashLine(row, undo.id))}
    >
      <Undo2 aria-hidden size={13} /> {text('controlPlane.undo')}
    </Button>
  );
}

/** A button that sends a line to the model after all; the effects of its command remain. */
function SendToModel({ turn }: { readonly turn: Turn }) {
  const { commands } = useApp();
  if (!canGoToModel(turn)) return null;
  return (
    <Button
      tone="quiet"
      className="-ms-1.5 h-7 self-start px-1.5 text-xs"
      onClick={() => void commands.closePicker(turn.turn, 'model')}
    >
      {text('controlPlane.sendToModel')}
    </Button>
  );
}

/**
 * The control plane's handling of a line before any reply: the matched rule, the question and the outcome.
 */
export function RoutedTurn({ turn }: { readonly turn: Turn }) {
  return (
    <div className="mb-1 flex flex-col gap-1.5 empty:hidden">
      <PickerCard turn={turn} />
      {turn.questions
        ?.filter(({ asker }) => asker === 'router')
        .map((question) => (
          <QuestionCard key={question.questionId} turn={turn.turn} question={question} />
        ))}
      {!byModel(turn) && turn.command && <CommandLine command={turn.command} />}
      {!byModel(turn) && <Branched turn={turn} />}
      {!byModel(turn) && (
        <div className="flex flex-wrap gap-x-3 empty:hidden">
          <UndoCommand turn={turn} />
          <SendToModel turn={turn} />
        </div>
      )}
    </div>
  );
}

/** The outcome of a model's proposal that the user approved. */
export function ProposedOutcome({ turn }: { readonly turn: Turn }) {
  if (!byModel(turn)) return null;
  return (
    <>
      {turn.command && <CommandLine command={turn.command} />}
      <Branched turn={turn} />
    </>
  );
}
