import type { AppError } from '#shared/app-error';
import type { SearchHit } from '#shared/ipc';
import { Command } from 'cmdk';
import { useEffect, useState } from 'react';
import { useSentenceEncoder } from '../../actions/near-actions';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { menuItem } from '../../ui/menu-style';
import { Modal } from '../../ui/modal';
import { SnippetText } from '../../ui/snippet-text';
import { commandList } from './palette';

/** Milliseconds without typing before a search starts. */
const pauseMs = 120;

interface Answer {
  readonly text: string;
  readonly hits: readonly SearchHit[];
  /** The hits do not have the words and are only close in meaning. */
  readonly similar?: true;
  readonly error?: AppError;
}

/** The newest answer; an answer to an older text never replaces it. */
function useHits(text: string): Answer | null {
  const { commands } = useApp();
  const encoder = useSentenceEncoder();
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(() => {
    const query = text.trim();
    if (query === '') return;
    let wanted = true;
    const timer = setTimeout(() => {
      void commands.search(query).then((found) => {
        if (!wanted) return;
        if (!found.ok) return setAnswer({ text: query, hits: [], error: found.error });
        setAnswer({ text: query, hits: found.value });
        if (found.value.length > 0 || !encoder) return;
        void commands.similarSessions(query).then((similar) => {
          if (wanted && similar.ok && similar.value.length > 0)
            setAnswer({ text: query, hits: similar.value, similar: true });
        });
      });
    }, pauseMs);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [commands, encoder, text]);
  return text.trim() === '' ? null : answer;
}

function StateLine({ answer }: { readonly answer: Answer | null }) {
  if (!answer) return <p className="px-2.5 py-6 text-center text-muted">{text('palette.search.about')}</p>;
  if (answer.error) {
    return (
      <p role="alert" className="px-2.5 py-6 text-center text-danger-text">
        {text('palette.search.failed', { reason: answer.error.message })}
      </p>
    );
  }
  if (answer.similar)
    return (
      <p role="status" className="px-4 pt-3 text-sm text-muted">
        {text('palette.search.similar', { search: answer.text })}
      </p>
    );
  if (answer.hits.length > 0) return null;
  return (
    <p className="px-2.5 py-6 text-center text-muted">
      {text('shared.nothingFound', { search: answer.text })}
    </p>
  );
}

/** Searches all messages of all sessions. */
export function SearchDialog({ initial = '' }: { readonly initial: string | undefined }) {
  const { commands, view } = useApp();
  const [search, setSearch] = useState(initial);
  const answer = useHits(search);
  const close = () => view.set({ dialog: null });
  return (
    <Modal
      label={text('palette.search.name')}
      onClose={close}
      className="mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)]"
    >
      <Command shouldFilter={false} label={text('palette.search.name')} loop>
        <Command.Input
          data-autofocus
          value={search}
          maxLength={500}
          onValueChange={setSearch}
          placeholder={text('palette.search.name')}
          className="h-12 w-full border-b border-line bg-transparent px-4 text-message outline-none"
        />
        <StateLine answer={answer} />
        <Command.List className={commandList}>
          {answer?.hits.map((hit) => (
            <Command.Item
              key={`${hit.sessionId} ${hit.turn}`}
              value={`${hit.sessionId} ${hit.turn}`}
              onSelect={() => {
                close();
                void commands.openSession(hit.sessionId, hit.turn);
              }}
              className={`${menuItem} h-auto! flex-col items-start! gap-0.5! py-2`}
            >
              <span dir="auto" className="w-full truncate font-medium">
                {hit.sessionTitle || text('shared.newSession')}
              </span>
              <SnippetText text={hit.snippet} />
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Modal>
  );
}
