import type { ConfigProblem } from '#shared/app-error';
import { CircleAlert } from 'lucide-react';
import { EntityName } from '../../ui/entity-name';

const shown = 20;

export interface UnreadFilesProps {
  readonly label: string;
  readonly problems: readonly ConfigProblem[];
}

/** Names unreadable files below the list; they do not hide the readable ones. */
export function UnreadFiles({ label, problems }: UnreadFilesProps) {
  if (problems.length === 0) return null;
  return (
    <ul aria-label={label} className="mt-2 space-y-1 border-t border-line px-2.5 pt-2">
      {problems.slice(0, shown).map(({ file, field, reason }) => (
        <li key={`${file} ${field}`} className="flex gap-1.5 text-xs text-copper-text">
          <CircleAlert aria-hidden size={13} className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <EntityName text={file} className="font-mono" /> {field}: {reason}
          </span>
        </li>
      ))}
    </ul>
  );
}
