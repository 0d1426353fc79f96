import type { ServerToolView } from '#shared/servers';
import type { ToolChange } from '#shared/tool-pin';
import { ShieldAlert } from 'lucide-react';
import { Button } from '../../ui/button';
import { DiffHunks } from '../../ui/diff-hunks';

function Change({
  tool,
  change,
  busy,
  onAccept,
}: {
  readonly tool: string;
  readonly change: ToolChange;
  readonly busy: boolean;
  readonly onAccept: (change: ToolChange) => void;
}) {
  return (
    <section
      aria-label={`Change of ${tool}`}
      className="rounded-lg border border-copper/45 bg-copper-soft p-3"
    >
      <p className="flex items-start gap-2 text-sm">
        <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-copper-text" />
        <span className="wrap-anywhere">
          <span className="font-mono text-xs">{tool}</span> is not what it was when it was first used. It is
          not called until you accept what its server says now.
        </span>
      </p>
      <div className="mt-2 max-h-64 overflow-auto rounded-md border border-line bg-code">
        <DiffHunks hunks={[change]} />
      </div>
      <div className="mt-2 flex justify-end">
        <Button tone="primary" disabled={busy} onClick={() => onAccept(change)}>
          Accept the change
        </Button>
      </div>
    </section>
  );
}

/** Tools whose server defines them otherwise than when they were first used: what changed, and the way to accept it. */
export function ToolChanges(props: {
  readonly tools: readonly ServerToolView[];
  readonly busy: boolean;
  readonly onAccept: (change: ToolChange) => void;
}) {
  const changed = props.tools.flatMap(({ tool, change }) => (change ? [{ tool, change }] : []));
  if (changed.length === 0) return null;
  return (
    <div className="space-y-2 px-3 pb-3 pl-10">
      {changed.map(({ tool, change }) => (
        <Change key={change.uri} {...{ tool, change }} busy={props.busy} onAccept={props.onAccept} />
      ))}
    </div>
  );
}
