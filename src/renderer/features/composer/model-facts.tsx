import type { Abilities } from '#shared/known-models';
import type { ModelPrice } from '#shared/model';
import { dollars } from '#shared/usage-report';
import { Brain, Image, Wrench, type LucideIcon } from 'lucide-react';
import { text } from '../../locales/text';

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

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
  text('composer.models.price', { input: dollars(input), output: dollars(output) });

/** What is known of a model, in a few quiet signs; what is not known is left out. */
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
        <span title={text('composer.models.context', { count: context })}>{compact.format(context)}</span>
      )}
      {price && <span title={text('composer.models.priceHint')}>{priceText(price)}</span>}
    </span>
  );
}
