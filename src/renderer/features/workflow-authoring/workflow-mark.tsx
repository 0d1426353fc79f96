import type { AuthoringRow } from '#shared/workflow-authoring';
import {
  CircleCheck,
  CircleDashed,
  CircleSlash,
  Package,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react';

interface Look {
  readonly word: string;
  readonly icon: LucideIcon;
  readonly colour: string;
}

const looks: Readonly<Record<AuthoringRow['status'] | 'halted' | 'removed' | 'bundled', Look>> = {
  draft: { word: 'Draft', icon: CircleDashed, colour: 'text-copper-text' },
  published: { word: 'Published', icon: CircleCheck, colour: 'text-accent-text' },
  deprecated: { word: 'Deprecated', icon: TriangleAlert, colour: 'text-copper-text' },
  disabled: { word: 'Disabled', icon: CircleSlash, colour: 'text-muted' },
  halted: { word: 'Halted', icon: TriangleAlert, colour: 'text-danger-text' },
  bundled: { word: 'Bundled', icon: Package, colour: 'text-muted' },
  removed: { word: 'Removed', icon: CircleSlash, colour: 'text-muted' },
};

/** Where a workflow stands: an icon and a word. */
export function WorkflowMark({ status }: { readonly status: keyof typeof looks }) {
  const { word, icon: Icon, colour } = looks[status];
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
      <Icon aria-hidden size={12} className={colour} />
      {word}
    </span>
  );
}
