import type { PickerPage } from '#shared/control-plane';
import type { Action } from '#shared/route';
import type { SessionState } from '#shared/session-state';
import type { App } from '../app';
import type { Terminal } from './output';

/** As many as fit a screen; what is typed narrows the rest. */
const shownItems = 20;

/** What became of a picker in a terminal. */
export type Choice =
  { readonly type: 'item'; readonly id: string } | { readonly type: 'model' } | { readonly type: 'nothing' };

type Picker = Extract<Action, { type: 'open-picker' }>;

function listed({ items, total, status }: PickerPage, text: string): string {
  const rows = items.map(({ header, description }, index) => {
    const about = description === undefined ? '' : `  ${description}`;
    return `  ${index + 1}  ${header.displayName} (${header.id})${about}`;
  });
  if (status.state === 'failed') return `  ${status.reason}`;
  if (rows.length === 0) return `  Nothing fits “${text}”.`;
  const more = total - rows.length;
  return [...rows, ...(more > 0 ? [`  … ${more} more; type to narrow`] : [])].join('\n');
}

/** Lists what can be chosen, narrowed by what is typed; a number chooses, an empty line leaves, `!` asks the model instead. */
export async function chooseItem(
  app: App,
  terminal: Terminal,
  state: SessionState,
  picker: Picker,
): Promise<Choice> {
  let text = picker.prefilterText ?? '';
  for (;;) {
    const page = await app.plane.page(state, { source: picker.source, text, offset: 0, limit: shownItems });
    terminal.log(listed(page, text));
    const line = await terminal.readLine('Number, words to narrow, empty to leave, ! for the model: ');
    const said = line?.trim() ?? '';
    if (said === '') return { type: 'nothing' };
    if (said === '!') return { type: 'model' };
    const item = /^\d{1,3}$/.test(said) ? page.items[Number(said) - 1] : undefined;
    if (item) return { type: 'item', id: item.header.id };
    text = said;
  }
}
