import type { CommandState } from '#shared/session-state';
import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react';
import { richText, text } from '../../locales/text';
import { EntityName } from '../../ui/entity-name';
import { ErrorCard } from '../../ui/error-card';
import { shortText } from '../../ui/short-text';

const shownSummary = 1_000;

const marks = {
  running: { icon: LoaderCircle, look: 'animate-spin text-muted' },
  done: { icon: CircleCheck, look: 'text-accent-text' },
  failed: { icon: CircleX, look: 'text-danger-text' },
} as const;

function Summary({ command }: { readonly command: CommandState }) {
  if (command.summary !== '') return <span dir="auto">{shortText(command.summary, shownSummary)}</span>;
  return richText('controlPlane.command.target', {
    command: command.displayName,
    item: <EntityName text={command.item.displayName || command.item.id} />,
  });
}

/** The outcome of a command in one line; a failure in full. */
export function CommandLine({ command }: { readonly command: CommandState }) {
  if (command.status === 'failed' && command.error) {
    return (
      <ErrorCard error={command.error}>
        <p className="mt-0.5 text-sm">
          {command.displayName}: <EntityName text={command.item.displayName || command.item.id} />
        </p>
      </ErrorCard>
    );
  }
  const { icon: Icon, look } = marks[command.status];
  return (
    <p className="flex min-w-0 items-start gap-2 text-sm">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <span className="readable min-w-0 wrap-anywhere">
        {command.status === 'failed' && `${text('controlPlane.command.failed')} `}
        <Summary command={command} />
      </span>
    </p>
  );
}
