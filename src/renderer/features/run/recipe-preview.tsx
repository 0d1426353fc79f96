import type { Json } from '#shared/json';
import type { Recipe } from '#shared/recipe';
import { Fragment } from 'react';
import { text } from '../../locales/text';
import { CodeText } from '../../ui/markdown/code-text';
import { FindingLine } from './finding-line';
import type { RecipeDraftInUse } from './use-recipe-draft';

/** A pattern with its slots highlighted. */
function Pattern({ text }: { readonly text: string }) {
  return (
    <span dir="auto" className="readable text-sm wrap-anywhere">
      {text.split(/(\{[^}]*\})/).map((part, at) =>
        part.startsWith('{') ? (
          <mark key={at} className="rounded bg-accent-soft px-1 font-mono text-xs text-accent-text">
            {part}
          </mark>
        ) : (
          <Fragment key={at}>{part}</Fragment>
        ),
      )}
    </span>
  );
}

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Quotes a word for a shell unless it is plain. */
const shellWord = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const commandOf = ({ id, params }: Recipe): string =>
  [
    `patina recipe run ${id}`,
    ...params.map(({ name, default: value }) => `--param ${shellWord(`${name}=${textOf(value)}`)}`),
  ].join(' ');

function Steps({ recipe }: { readonly recipe: Recipe }) {
  const nodes = [recipe.plan, ...(recipe.following ?? [])].flatMap((plan) => plan.nodes);
  return (
    <details className="rounded-lg border border-line">
      <summary className="cursor-default px-3 py-1.5 text-sm focus-visible:-outline-offset-2">
        {text('run.preview.steps', { count: nodes.length })}
      </summary>
      <ol className="border-t border-line">
        {nodes.map(({ id, title, code, params }) => (
          <li key={id} className="border-t border-line px-3 py-2 first:border-t-0">
            <p className="readable text-sm wrap-anywhere">{title}</p>
            {params && Object.keys(params).length > 0 && (
              <p className="mt-0.5 font-mono text-xs text-muted wrap-anywhere">{JSON.stringify(params)}</p>
            )}
            {code !== undefined && (
              <pre
                tabIndex={0}
                aria-label={text('run.preview.code', { title })}
                className="mt-1 max-h-48 overflow-auto rounded-md bg-code p-2 text-xs"
              >
                <CodeText code={code} fence="js" growing={false} />
              </pre>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** A preview of the recipe: the sentence that starts it, its command, and its steps. */
export function RecipePreview({ draft }: { readonly draft: RecipeDraftInUse }) {
  const recipe = draft.draft?.recipe;
  return (
    <section aria-label={text('run.preview.title')} className="space-y-2.5">
      <h3 className="text-sm font-medium">{text('run.preview.title')}</h3>
      {recipe ? (
        <>
          <div>
            <p className="text-xs text-muted">{text('run.preview.sentence')}</p>
            {recipe.intentPatterns.map((pattern) => (
              <p key={pattern} className="mt-1">
                <Pattern text={pattern} />
              </p>
            ))}
            <FindingLine finding={draft.found('pattern')} />
          </div>
          <div>
            <p className="text-xs text-muted">{text('run.preview.terminal')}</p>
            <p className="mt-1 font-mono text-xs wrap-anywhere">{commandOf(recipe)}</p>
          </div>
          <Steps recipe={recipe} />
        </>
      ) : (
        <p className="text-xs text-muted">
          {draft.draft ? text('run.preview.blocked') : text('run.preview.preparing')}
        </p>
      )}
    </section>
  );
}
