import type { ServerToolView } from '#shared/servers';
import type { ToolChange } from '#shared/tool-pin';
import { ToolChangeCard } from '../../ui/tool-change-card';

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
        <ToolChangeCard key={change.uri} {...{ tool, change }} busy={props.busy} onAccept={props.onAccept} />
      ))}
    </div>
  );
}
