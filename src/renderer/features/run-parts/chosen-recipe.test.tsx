import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../../testing/agent-plans';
import { ChosenRecipe } from './chosen-recipe';

afterEach(cleanup);

const plan = planOf([scriptNode('count', "return { summary: 'counted' };")]);
const proposal = { stage: 1, plan, planHash: 'h', source: 'recipe' as const, recipeId: 'count_todos' };

it('[LOCAL-recipe] the window says that a model chose the recipe, and with which values', () => {
  const shown = (more: object) =>
    render(<ChosenRecipe proposal={{ ...proposal, ...more }} />).container.textContent;
  expect(shown({ suggested: true, params: { path: 'lib' } })).toBe(
    'The model chose the recipe count_todos with path: "lib". Check that it is what you meant; nothing runs before you click.',
  );
  expect(shown({ suggested: true })).toContain('the recipe count_todos. Check');
  expect(shown({})).toBe('');
});

it('[LOCAL-recipe] the window says that a model chose a tool, with visible control characters', () => {
  const { recipeId: _none, ...call } = proposal;
  const node = scriptNode('call', 'return {};', {
    title: 'project: search_text',
    params: { arguments: { pattern: 'cop\u202eper' } },
  });
  const { container } = render(
    <ChosenRecipe proposal={{ ...call, source: 'file', suggested: true, plan: planOf([node]) }} />,
  );
  expect(container.textContent).toContain('The model chose the tool project: search_text with pattern: ');
  expect(container.textContent).not.toContain('\u202e');
});
