import type { ActiveWorkContext } from '#shared/work-context';
import { Crosshair, X } from 'lucide-react';
import { text } from '../../locales/text';
import { useApp, useCurrentSession, useMirror } from '../../store/app-context';
import { focusCommand, releaseFocusId, slashLine, findCommandRow } from '../../store/slash-lines';
import { EntityName } from '../../ui/entity-name';
import { IconButton } from '../../ui/icon-button';
import { Tooltip } from '../../ui/tooltip';
import { chip, chipButton } from './chip-look';

type Header = NonNullable<ActiveWorkContext['entityHeader']>;

/** `email_template` as words. */
export const typeText = (entityType: string) => entityType.replace(/_/g, ' ');

/** Opens the list that contains the focused entity, to choose another. */
function usePickAnother(entityType: string): (() => void) | undefined {
  const { view } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const row = focusCommand(plane, entityType);
  if (!row) return undefined;
  return () => view.set({ dialog: { kind: 'picker', commandId: row.commandId } });
}

function Target({ header, entityType }: { readonly header: Header; readonly entityType: string }) {
  const pick = usePickAnother(entityType);
  return (
    <Tooltip
      text={text(pick ? 'controlPlane.focus.aboutChangeable' : 'controlPlane.focus.about', {
        type: typeText(entityType),
        id: header.id,
      })}
    >
      <button
        type="button"
        aria-label={text('controlPlane.focus.name', {
          type: typeText(entityType),
          id: header.id,
          name: header.displayName,
        })}
        disabled={!pick}
        onClick={pick}
        className={`${chipButton} flex h-full min-w-0 items-center gap-1.5 rounded-md pe-1.5`}
      >
        <Crosshair aria-hidden size={13} className="shrink-0 text-accent-text" />
        <EntityName text={header.id} className="max-w-28 shrink-0 truncate font-mono" />{' '}
        <EntityName text={header.displayName} className="truncate text-muted" />
      </button>
    </Tooltip>
  );
}

function Release({ header }: { readonly header: Header }) {
  const { commands } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const row = findCommandRow(plane, releaseFocusId);
  if (!row) return null;
  return (
    <IconButton
      icon={X}
      label={text('controlPlane.focus.clear', { name: header.displayName || header.id })}
      className="size-6"
      onClick={() => void commands.send(slashLine(row, header.id))}
    />
  );
}

/** The entity that the session works on; ✕ releases it. */
export function FocusChip() {
  const context = useCurrentSession((session) => session?.context ?? null);
  if (!context?.entityHeader || context.entityType === undefined) return null;
  return (
    <div className={chip}>
      <Target header={context.entityHeader} entityType={context.entityType} />
      <Release header={context.entityHeader} />
    </div>
  );
}
