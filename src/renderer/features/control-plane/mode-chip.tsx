import { ChevronDown, CircleAlert, Compass } from 'lucide-react';
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
      <Tooltip text={`${problem.message} Press to try again.`}>
        <button
          type="button"
          className={`${chip} ${chipButton} text-copper-text`}
          onClick={() => void commands.readControlPlane()}
        >
          <CircleAlert aria-hidden size={13} className="shrink-0" />
          Mode unknown
        </button>
      </Tooltip>
    );
  }
  if (!plane) return null;
  const { displayName } = plane.mode;
  const changeable = findCommandRow(plane, setModeId) !== undefined;
  return (
    <Tooltip text={changeable ? 'What this session is for. Press to change it.' : 'What this session is for'}>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={`Session mode: ${displayName}`}
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
