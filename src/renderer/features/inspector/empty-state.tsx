import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** The message of an empty tab: why it is empty, and what would change that. */
export function EmptyState({
  icon: Icon,
  title,
  children,
}: {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-72 flex-col items-center px-4 py-16 text-center">
      <Icon aria-hidden="true" className="size-6 text-faint" strokeWidth={1.5} />
      <p className="mt-3 text-base font-medium">{title}</p>
      <p className="mt-1 text-sm text-muted">{children}</p>
    </div>
  );
}
