import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** The message of an empty tab: why it is empty, and what would change that. */
export function EmptyNote({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-80 flex-col items-center px-4 py-16 text-center">
      <Icon aria-hidden className="size-6 text-faint" strokeWidth={1.5} />
      <p className="mt-3 text-base font-medium">{title}</p>
      <p className="mt-1 text-sm text-muted">{children}</p>
    </div>
  );
}
