import { slashNames } from '#shared/command';
import type { PickerPage } from '#shared/control-plane';
import type { ResolverSource } from '#shared/resolver';
import type { Action } from '#shared/route';
import type { SessionState } from '#shared/session-state';
import type { App } from '../app';
import type { Terminal } from './output';

/** As many as fit on a screen; a filter narrows the rest. */
const shownItems = 20;
/** How often to poll a list that is still loading; each attempt waits about a second. */
const maxAttempts = 60;

/** The outcome of a picker in a terminal. */
export type Choice =
  { readonly type: 'item'; readonly id: string } | { readonly type: 'model' } | { readonly type: 'nothing' };

type Picker = Extract<Action, { type: 'open-picker' }>;

interface Wanted {
  readonly source: ResolverSource;
  readonly text: string;
  readonly refresh?: boolean;
}

/** Reads the first items of a list once it has loaded; starts the servers that it needs. */
async function readList(
  app: Pick<App, 'plane'>,
  terminal: Terminal,
  state: SessionState | null,
  { refresh, ...wanted }: Wanted,
): Promise<PickerPage> {
  const query = { ...wanted, offset: 0, limit: shownItems };
  let page = await app.plane.page(state, { ...query, ...(refresh && { refresh }) });
  for (let look = 0; page.status.state === 'loading' && look < maxAttempts; look += 1) {
    if (look === 0) terminal.log('Reading the list…');
    page = await app.plane.page(state, query);
  }
  return page;
}

/** Why a list has no items. */
function emptyWords({ status, missing }: PickerPage, noun: string): string {
  if (status.state === 'failed') return `The ${noun} could not be read: ${status.reason}`;
  if (status.state === 'loading') return `The ${noun} are still being read. Try again in a moment.`;
  return `There are no ${noun} yet.${missing === undefined ? '' : ` ${missing}`}`;
}

function listed(page: PickerPage, text: string, noun: string): string {
  const { items, total, missing } = page;
  const rows = items.map(({ header, description }, index) => {
    const about = description === undefined ? '' : `  ${description}`;
    return `  ${index + 1}  ${header.displayName} (${header.id})${about}`;
  });
  if (rows.length === 0)
    return text === '' || page.status.state === 'failed'
      ? `  ${emptyWords(page, noun)}`
      : `  Nothing matches “${text}”.`;
  const more = total - rows.length;
  return [
    ...rows,
    ...(more > 0 ? [`  … ${more} more; type to narrow`] : []),
    ...(missing === undefined ? [] : [`  ${missing}`]),
  ].join('\n');
}

const nounOf = (app: Pick<App, 'plane'>, state: SessionState | null, source: ResolverSource): string =>
  app.plane.view(state).sources.find((row) => JSON.stringify(row.source) === JSON.stringify(source))?.nouns
    .many[0] ?? 'items';

/** Why the list that a slash opens is empty; null when it has items or the slash opens none. */
export async function whyEmpty(
  app: Pick<App, 'plane'>,
  terminal: Terminal,
  state: SessionState | null,
  slash: string,
): Promise<string | null> {
  const { commands } = app.plane.view(state);
  const row = commands.find((command) => slashNames(command).includes(slash));
  if (!row || row.actionId !== undefined) return null;
  const { targetCatalogId, resolverSource } = row;
  const source = targetCatalogId === undefined ? resolverSource : { catalogId: targetCatalogId };
  const page = await readList(app, terminal, state, { source, text: '' });
  return page.total > 0 ? null : emptyWords(page, nounOf(app, state, source));
}

/**
 * Lists the choices, narrowed by a filter. A number chooses, an empty line or the signal cancels, `!` asks the
 * model instead, `r` reloads the list.
 */
export async function chooseItem(
  app: Pick<App, 'plane'>,
  terminal: Terminal,
  state: SessionState,
  picker: Picker,
  signal?: AbortSignal,
): Promise<Choice> {
  const { source } = picker;
  let text = picker.prefilterText ?? '';
  let refresh = false;
  for (;;) {
    const page = await readList(app, terminal, state, { source, text, refresh });
    terminal.log(listed(page, text, nounOf(app, state, source)));
    const line = await terminal.readLine(
      'Type a number, words to narrow the list, r to reload, ! to ask the model, or nothing to leave: ',
      { signal },
    );
    const answer = line?.trim() ?? '';
    refresh = answer === 'r';
    if (answer === '') return { type: 'nothing' };
    if (answer === '!') return { type: 'model' };
    const item = /^\d{1,3}$/.test(answer) ? page.items[Number(answer) - 1] : undefined;
    if (item) return { type: 'item', id: item.header.id };
    if (!refresh) text = answer;
  }
}
