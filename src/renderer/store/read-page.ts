import type { OnPage } from './reload-state';

/** As near to the end as that, a conversation follows its end. */
const nearEnd = 32;

const turnOf = (row: Element): number => Number(row.getAttribute('data-turn'));

function readPlace(list: Element): OnPage['place'] {
  if (list.scrollHeight - list.scrollTop - list.clientHeight <= nearEnd) return null;
  const top = list.getBoundingClientRect().top;
  const row = [...list.querySelectorAll('[data-turn]')].find(
    (one) => one.getBoundingClientRect().bottom > top,
  );
  return row ? { turn: turnOf(row), above: top - row.getBoundingClientRect().top } : null;
}

/** Reads what only the page knows of the conversation on the screen. */
export function readPage(page: Document): OnPage {
  const list = page.querySelector('[role=log]');
  const field = list?.querySelector<HTMLTextAreaElement>('[data-turn] textarea[data-edit]');
  const row = field?.closest('[data-turn]');
  return {
    place: list ? readPlace(list) : null,
    edited: field && row ? { turn: turnOf(row), text: field.value } : null,
  };
}
