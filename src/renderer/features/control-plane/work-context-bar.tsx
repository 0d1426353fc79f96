import { text } from '../../locales/text';
import { useCurrentSession, useApp, useMirror } from '../../store/app-context';
import { FocusChip, typeText } from './focus-chip';
import type { RelatedEntityRef } from '#shared/work-context';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { focusCommand, slashLine } from '../../store/slash-lines';
import { EntityName } from '../../ui/entity-name';
import { Tooltip } from '../../ui/tooltip';
import { chip, chipButton } from './chip-look';

const shownAtFirst = 4;
const shownAtMost = 40;

function RelatedChip({ entity }: { readonly entity: RelatedEntityRef }) {
  const { commands } = useApp();
  const plane = useMirror((mirror) => mirror.controlPlane);
  const { entityType, header, role } = entity;
  const row = focusCommand(plane, entityType);
  const name = header.displayName || header.id;
  const about = text(row ? 'controlPlane.related.aboutChangeable' : 'controlPlane.related.about', {
    role,
    type: typeText(entityType),
    id: header.id,
  });
  return (
    <Tooltip text={about}>
      <button
        type="button"
        aria-label={text('controlPlane.related.name', { type: typeText(entityType), role, name })}
        disabled={!row}
        onClick={() => row && void commands.send(slashLine(row, header.id))}
        className={`${chip} ${chipButton} border-dashed text-muted enabled:hover:text-text`}
      >
        <Link2 aria-hidden size={12} className="shrink-0" />
        <EntityName text={role} className="max-w-24 shrink-0 truncate" />{' '}
        <EntityName text={name} className="truncate" />
      </button>
    </Tooltip>
  );
}

/** The entities related to the focused one; choosing one focuses it. */
function RelatedChips() {
  const [all, setAll] = useState(false);
  const related = useCurrentSession((session) => session?.context?.relatedEntities);
  if (!related || related.length === 0) return null;
  const shown = related.slice(0, all ? shownAtMost : shownAtFirst);
  const more = Math.min(related.length, shownAtMost) - shown.length;
  return (
    <>
      {shown.map((entity) => (
        <RelatedChip key={`${entity.role} ${entity.entityType} ${entity.header.id}`} entity={entity} />
      ))}
      {more > 0 && (
        <button type="button" className={`${chip} ${chipButton} text-muted`} onClick={() => setAll(true)}>
          {text('controlPlane.related.more', { count: more })}
        </button>
      )}
    </>
  );
}

/** What the session works on, and what belongs to it, above the composer. */
export function WorkContextBar() {
  const shown = useCurrentSession((session) => session?.context?.entityHeader !== undefined);
  if (!shown) return null;
  return (
    <div
      role="group"
      aria-label={text('controlPlane.bar.name')}
      className="mb-1.5 flex flex-wrap items-center gap-1.5"
    >
      <FocusChip />
      <RelatedChips />
    </div>
  );
}
