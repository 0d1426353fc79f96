import type { ProposedPlan } from '#shared/session-state';
import { text } from '../../locales/text';

/** Says that a model chose the recipe, with the values that it read in the message. */
export function ChosenRecipe({ proposal }: { readonly proposal: ProposedPlan }) {
  const { suggested, recipeId, params = {} } = proposal;
  if (!suggested || recipeId === undefined) return null;
  const values = Object.entries(params).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return (
    <p className="readable text-sm text-muted wrap-anywhere">
      {text('run.waitingPlan.chosenRecipe', {
        id: recipeId,
        count: values.length,
        values: values.join(', '),
      })}
    </p>
  );
}
