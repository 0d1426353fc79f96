import type { Abilities } from '#shared/known-models';
import type { ModelPrice } from '#shared/model';
import { Brain, Image, Wrench, type LucideIcon } from 'lucide-react';
import { text } from '../../locales/text';
import { formatShort } from '../../ui/format';
import { formatCost } from '../../ui/cost-text';

const icons: readonly (readonly ['images' | 'tools' | 'thinking', LucideIcon])[] = [
  ['images', Image],
  ['tools', Wrench],
  ['thinking', Brain],
];

export interface ModelFactsProps {
  readonly context: number | undefined;
  readonly abilities: Abilities | undefined;
  readonly price: ModelPrice | undefined;
}

const priceText = ({ input, output }: ModelPrice): string =>
  text('composer.models.price', { input: formatCost(input), output: formatCost(output) });

/** The known facts about a model as a few quiet signs; unknown ones are omitted. */
export function ModelFacts({ context, abilities, price }: ModelFactsProps) {
  return (
    <span className="numbers flex shrink-0 items-center gap-1.5 text-2xs text-muted">
      {icons.map(
        ([name, Icon]) =>
          abilities?.[name] === true && (
            <span key={name} title={text(`composer.models.abilities.${name}`)}>
              <Icon aria-hidden size={12} strokeWidth={1.75} />
              <span className="sr-only">{text(`composer.models.abilities.${name}`)}</span>
            </span>
          ),
      )}
      {context !== undefined && (
        <span title={text('composer.models.context', { count: context })}>{formatShort(context)}</span>
      )}
      {price && <span title={text('composer.models.priceHint')}>{priceText(price)}</span>}
    </span>
  );
}
