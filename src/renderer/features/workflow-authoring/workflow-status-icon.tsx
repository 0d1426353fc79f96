import type { AuthoringRow } from '#shared/workflow-authoring';
import { CircleCheck, CircleDashed, CircleSlash, Package, TriangleAlert } from 'lucide-react';
import { text } from '../../locales/text';
import { IconWord, type IconWordProps } from '../../ui/icon-word';

const statusIcons: Readonly<
  Record<AuthoringRow['status'] | 'halted' | 'removed' | 'bundled', Omit<IconWordProps, 'word'>>
> = {
  draft: { icon: CircleDashed, colour: 'text-copper-text' },
  published: { icon: CircleCheck, colour: 'text-accent-text' },
  deprecated: { icon: TriangleAlert, colour: 'text-copper-text' },
  disabled: { icon: CircleSlash, colour: 'text-muted' },
  halted: { icon: TriangleAlert, colour: 'text-danger-text' },
  bundled: { icon: Package, colour: 'text-muted' },
  removed: { icon: CircleSlash, colour: 'text-muted' },
};

export const WorkflowStatusIcon = ({ status }: { readonly status: keyof typeof statusIcons }) => (
  <IconWord {...statusIcons[status]} word={text(`workflowAuthoring.status.${status}`)} />
);
