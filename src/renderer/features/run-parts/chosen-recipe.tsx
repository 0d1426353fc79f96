import { visibleControls } from '#shared/direction-controls';
import { isObject } from '#shared/json';
import type { ProposedPlan } from '#shared/session-state';
import { text } from '../../locales/text';

/** Says that a model chose the recipe or the tool, with the values that it read in the message. */
export function ChosenRecipe({ proposal }: { readonly proposal: ProposedPlan }) {
  const { suggested, recipeId, plan } = proposal;
  if (!suggested) return null;
  const [call] = plan.nodes;
  const params = recipeId === undefined ? call?.params?.['arguments'] : proposal.params;
  const values = Object.entries(params !== undefined && isObject(params) ? params : {}).map(
    ([name, value]) => `${visibleControls(name)}: ${visibleControls(JSON.stringify(value))}`,
  );
  const named = { count: values.length, values: values.join(', ') };
  return (
    <p className="readable text-sm text-muted wrap-anywhere">
      {recipeId === undefined
        ? text('run.waitingPlan.chosenTool', { tool: visibleControls(call?.title ?? ''), ...named })
        : text('run.waitingPlan.chosenRecipe', { id: recipeId, ...named })}
    </p>
  );
}
