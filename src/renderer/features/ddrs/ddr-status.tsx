import type { DdrApproval, DdrStatus } from '#shared/ddr';
import { CircleCheck, CircleDashed, CircleSlash, Eye } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { EntityName } from '../../ui/entity-name';
import { formatDate } from '../../ui/format';
import { IconWord, type IconWordProps } from '../../ui/icon-word';
import { useClock } from '../../ui/use-clock';

const statusIcons: Readonly<Record<DdrStatus, IconWordProps>> = {
  draft: { word: text('ddrs.status.draft'), icon: CircleDashed, colour: 'text-muted' },
  in_review: { word: text('ddrs.status.inReview'), icon: Eye, colour: 'text-copper-text' },
  approved: { word: text('ddrs.status.approved'), icon: CircleCheck, colour: 'text-accent-text' },
  deprecated: { word: text('ddrs.status.deprecated'), icon: CircleSlash, colour: 'text-muted' },
};

/** The status of a document or of a part of it. */
export const DdrStatusIcon = ({ status }: { readonly status: DdrStatus }) => (
  <IconWord {...statusIcons[status]} />
);

/** A date in readable form; an invalid date is shown as it was written. */
function When({ at }: { readonly at: string }) {
  useClock();
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
      {richText('ddrs.approvals.by', {
        who: <EntityName text={approval.by} />,
        date: <When at={approval.at} />,
      })}
    </span>
  );
}
