import { ChevronDown, CircleAlert, Compass } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useMirror } from '../../store/app-context';
import { setModeId, findCommandRow } from '../../store/slash-lines';
import { EntityName } from '../../ui/entity-name';
import { Tooltip } from '../../ui/tooltip';
import { chip, chipButton } from './chip-look';

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
          className={`${chip} ${chipButton} text-copper-text`}
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
        className={`${chip} ${chipButton}`}
      >
        <Compass aria-hidden size={13} className="shrink-0 text-muted" />
        <EntityName text={displayName} className="truncate" />
        {changeable && <ChevronDown aria-hidden size={12} className="shrink-0 text-muted" />}
      </button>
    </Tooltip>
  );
}
