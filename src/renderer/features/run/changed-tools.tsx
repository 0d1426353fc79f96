import { Ban, Check } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { RunState } from '#shared/session-state';
import type { ToolChange } from '#shared/tool-pin';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { ToolChangeCard } from '../../ui/tool-change-card';
import { useAnswer } from '../../ui/use-answer';

/** The tools a run was refused because they are not what they were; each once. */
function changedTools({ error, nodes }: RunState): readonly string[] {
  const errors = [error, ...nodes.map((node) => node.error)];
  const tools = errors.flatMap((one) => (one?.code === 'TOOL_CHANGED' && one.tool ? [one.tool] : []));
  return [...new Set(tools)];
}

const said = {
  accepted: { icon: Check, text: 'The change is accepted. Run it again to use the tool as it is now.' },
  kept: {
    icon: Ban,
    text: 'It stays blocked. The change can be accepted at any time: Settings, Servers.',
  },
} as const;

interface SettledProps {
  readonly tool: string;
  readonly as: keyof typeof said;
  readonly onRetry: () => void;
}

function Settled({ tool, as, onRetry }: SettledProps) {
  const { icon: Icon, text } = said[as];
  return (
    <div className="flex items-center gap-3 rounded-lg border border-line bg-surface p-3 text-sm">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <p role="status" className="min-w-0 grow wrap-anywhere">
        <span className="font-mono text-xs">{tool}</span>: {text}
      </p>
      {as === 'accepted' && (
        <Button tone="primary" onClick={onRetry}>
          Run again
        </Button>
      )}
    </div>
  );
}

function ChangedTool({ tool, onRetry }: { readonly tool: string; readonly onRetry: () => void }) {
  const commands = useCommands();
  const [settled, setSettled] = useState<SettledProps['as']>();
  const [problem, setProblem] = useState<string>();
  const [tries, setTries] = useState(0);
  const [busy, setBusy] = useState(false);
  const ask = useCallback(() => commands.readToolChange(tool), [commands, tool]);
  const answer = useAnswer(ask, tries);
  const change = answer?.ok ? answer.value : null;
  const accept = async ({ uri, hash }: ToolChange) => {
    setBusy(true);
    const accepted = await commands.acceptTool(uri, hash);
    setBusy(false);
    if (accepted.ok) return setSettled('accepted');
    setProblem(`${accepted.error.message} It is shown as it is now.`);
    return setTries(tries + 1);
  };
  if (settled) return <Settled tool={tool} as={settled} onRetry={onRetry} />;
  // Accepted elsewhere meanwhile, or changed back.
  if (!change) return null;
  return (
    <>
      {problem && (
        <p role="alert" className="text-sm text-danger-text">
          {problem}
        </p>
      )}
      <ToolChangeCard
        {...{ tool, change, busy }}
        onAccept={(shown) => void accept(shown)}
        onKeep={() => setSettled('kept')}
      />
    </>
  );
}

/** What changed in the tools that stopped a run, and the two answers to it. */
export function ChangedTools({ run, onRetry }: { readonly run: RunState; readonly onRetry: () => void }) {
  const tools = changedTools(run);
  if (tools.length === 0) return null;
  return (
    <div className="mt-3 space-y-2">
      {tools.map((tool) => (
        <ChangedTool key={tool} tool={tool} onRetry={onRetry} />
      ))}
    </div>
  );
}
