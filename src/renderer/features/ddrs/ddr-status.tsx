import type { DdrApproval, DdrStatus } from '#shared/ddr';
import { CircleCheck, CircleDashed, CircleSlash, Eye, type LucideIcon } from 'lucide-react';
import { EntityName } from '../../ui/entity-name';
import { formatDate } from '../../ui/format';

interface Look {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly colour: string;
}

const looks: Readonly<Record<DdrStatus, Look>> = {
  draft: { word: 'Draft', icon: CircleDashed, colour: 'text-muted' },
  in_review: { word: 'In review', icon: Eye, colour: 'text-copper-text' },
  approved: { word: 'Approved', icon: CircleCheck, colour: 'text-accent-text' },
  deprecated: { word: 'Deprecated', icon: CircleSlash, colour: 'text-muted' },
};

/** Where a document or a part of it stands: an icon and a word. */
export function DdrStatusMark({ status }: { readonly status: DdrStatus }) {
  const { word, icon: Icon, colour } = looks[status];
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
      <Icon aria-hidden size={12} className={colour} />
      {word}
    </span>
  );
}

/** A day as people read it; what is no date is shown as it was written down. */
function When({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return <EntityName text={at} />;
  return (
    <time dateTime={at} title={at}>
      {formatDate(time)}
    </time>
  );
}

/** Who approved, and when. */
export function Approval({ approval }: { readonly approval: DdrApproval | null }) {
  if (!approval) return null;
  return (
    <span className="numbers text-xs text-muted">
      by <EntityName text={approval.by} />, <When at={approval.at} />
    </span>
  );
}
