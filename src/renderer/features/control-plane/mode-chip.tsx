import { ChevronDown, CircleAlert, Compass } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { setModeId, findCommandRow } from '../../store/slash-lines';
import { EntityName } from '../../ui/entity-name';
import { Tooltip } from '../../ui/tooltip';

const quietChip =
  'flex h-7 max-w-44 min-w-0 items-center gap-1.5 rounded-md px-2 text-xs font-medium text-muted transition-colors enabled:hover:bg-hover enabled:hover:text-text';

/** The session's mode; pressing it lists the others. */
export function ModeChip() {
  const { commands, view } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const problem = useMirror((mirror) => mirror.controlPlaneProblem);
  if (problem) {
    return (
      <Tooltip text={text('controlPlane.mode.problem', { problem: problem.message })}>
        <button
          type="button"
          className={`${quietChip} text-copper-text`}
          onClick={() => void commands.readControlPlane()}
        >
          <CircleAlert aria-hidden size={13} className="shrink-0" />
          {text('controlPlane.mode.unknown')}
        </button>
      </Tooltip>
    );
  }
  if (!plane) return null;
  const { displayName } = plane.mode;
  const changeable = findCommandRow(plane, setModeId) !== undefined;
  return (
    <Tooltip text={changeable ? text('controlPlane.mode.aboutChangeable') : text('controlPlane.mode.about')}>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={text('controlPlane.mode.name', { mode: displayName })}
        disabled={!changeable}
        onClick={() => view.set({ dialog: { kind: 'picker', commandId: setModeId } })}
        className={quietChip}
      >
        <Compass aria-hidden size={13} className="shrink-0" />
        <EntityName text={displayName} className="truncate" />
        {changeable && <ChevronDown aria-hidden size={13} className="shrink-0" />}
      </button>
    </Tooltip>
  );
}
