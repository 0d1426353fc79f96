import type { AuthoringRow } from '#shared/workflow-authoring';
import { CircleCheck, CircleDashed, CircleSlash, Package, TriangleAlert } from 'lucide-react';
import { IconWord, type IconWordProps } from '../../ui/icon-word';

const statusIcons: Readonly<
  Record<AuthoringRow['status'] | 'halted' | 'removed' | 'bundled', IconWordProps>
> = {
  draft: { word: 'Draft', icon: CircleDashed, colour: 'text-copper-text' },
  published: { word: 'Published', icon: CircleCheck, colour: 'text-accent-text' },
  deprecated: { word: 'Deprecated', icon: TriangleAlert, colour: 'text-copper-text' },
  disabled: { word: 'Disabled', icon: CircleSlash, colour: 'text-muted' },
  halted: { word: 'Halted', icon: TriangleAlert, colour: 'text-danger-text' },
  bundled: { word: 'Bundled', icon: Package, colour: 'text-muted' },
  removed: { word: 'Removed', icon: CircleSlash, colour: 'text-muted' },
};

export const WorkflowStatusIcon = ({ status }: { readonly status: keyof typeof statusIcons }) => (
  <IconWord {...statusIcons[status]} />
);
