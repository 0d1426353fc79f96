import { Check } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { RunState, Turn } from '#shared/session-state';
import type { ToolChange } from '#shared/tool-pin';
import { richText, text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import type { TurnActions } from '../../store/turn-actions';
import { Button } from '../../ui/button';
import { ToolBlockedLine } from '../run-parts/tool-blocked-line';
import { ToolChangeCard } from '../run-parts/tool-change-card';
import { useAnswer } from '../../ui/use-answer';

/** The tools that these errors refused because their definition changed, without duplicates. */
function changedIn(errors: readonly (AppError | undefined)[]): readonly string[] {
  const tools = errors.flatMap((one) => (one?.code === 'TOOL_CHANGED' && one.tool ? [one.tool] : []));
  return [...new Set(tools)];
}

/** The changed tools that stopped a run. */
export const changedInRun = ({ error, nodes }: RunState): readonly string[] =>
  changedIn([error, ...nodes.map((node) => node.error)]);

/** The changed tools that a model was refused during its reply, once the reply has ended. */
const changedInReply = ({ reply }: Turn): readonly string[] =>
  reply && reply.status !== 'streaming' ? changedIn((reply.calls ?? []).map(({ error }) => error)) : [];

function Accepted({ tool, onRetry }: { readonly tool: string; readonly onRetry: () => void }) {
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line bg-surface p-3 text-sm">
      <Check aria-hidden className="size-4 shrink-0 text-muted" />
      <p role="status" className="min-w-0 grow wrap-anywhere">
        {richText('run.changedTool.accepted', {
          tool,
          code: (inner) => <span className="font-mono text-xs">{inner}</span>,
        })}
      </p>
      <Button tone="primary" autoFocus onClick={onRetry}>
        {text('run.runAgain')}
      </Button>
    </div>
  );
}

/** The change of a tool according to main, and the user's answers to it. */
function useToolChange(tool: string) {
  const commands = useCommands();
  const [accepted, setAccepted] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [tries, setTries] = useState(0);
  const [busy, setBusy] = useState(false);
  const ask = useCallback(() => commands.readToolChange(tool), [commands, tool]);
  const answer = useAnswer(ask, tries);
  const withBusy = async (work: () => Promise<Result<null>>): Promise<boolean> => {
    setBusy(true);
    const done = await work();
    setBusy(false);
    setProblem(done.ok ? undefined : text('run.changedTool.problem', { problem: done.error.message }));
    setTries((before) => before + 1);
    return done.ok;
  };
  return {
    accepted,
    problem,
    busy,
    change: answer?.ok ? answer.value : null,
    accept: async ({ uri, hash }: ToolChange) =>
      setAccepted(await withBusy(() => commands.acceptTool(uri, hash))),
    block: ({ uri, hash }: ToolChange) => withBusy(() => commands.blockTool(uri, hash)),
  };
}

function ChangedTool({ tool, onRetry }: { readonly tool: string; readonly onRetry: () => void }) {
  const { change, accepted, problem, busy, accept, block } = useToolChange(tool);
  const [reviewing, setReviewing] = useState(false);
  const [blocked, setBlocked] = useState(false);
  if (accepted) return <Accepted tool={tool} onRetry={onRetry} />;
  // Accepted elsewhere meanwhile, or changed back.
  if (!change) return null;
  if (change.keptBlocked && !reviewing) {
    return <ToolBlockedLine tool={tool} focused={blocked} onReview={() => setReviewing(true)} />;
  }
  const onBlock = () => {
    setReviewing(false);
    setBlocked(true);
    if (!change.keptBlocked) void block(change);
  };
  return (
    <>
      {problem && (
        <p role="alert" className="text-sm text-danger-text">
          {problem}
        </p>
      )}
      <ToolChangeCard
        tool={tool}
        change={change}
        busy={busy}
        onBlock={onBlock}
        focused={reviewing}
        onAccept={(shown) => void accept(shown)}
      />
    </>
  );
}

/** The changes of refused tools, with the two possible answers. */
export function ChangedTools(props: { readonly tools: readonly string[]; readonly onRetry: () => void }) {
  if (props.tools.length === 0) return null;
  return (
    <div className="mt-3 space-y-2">
      {props.tools.map((tool) => (
        <ChangedTool key={tool} tool={tool} onRetry={props.onRetry} />
      ))}
    </div>
  );
}

/** The changed tools that a model requested during its reply, in Ask or in a workflow. */
export function ReplyChangedTools({
  turn,
  onRegenerate,
}: { readonly turn: Turn } & Pick<TurnActions, 'onRegenerate'>) {
  return <ChangedTools tools={changedInReply(turn)} onRetry={() => onRegenerate(turn.turn)} />;
}
