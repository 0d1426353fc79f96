import type { AppError } from '#shared/app-error';
import type { SearchHit } from '#shared/ipc';
import { Command } from 'cmdk';
import { MessageSquareText } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useSentenceEncoder } from '../../actions/near-actions';
import { text } from '../../locales/text';
import { useApp, useMirror, useView } from '../../store/app-context';
import { menuItem } from '../../ui/menu-style';
import { Modal } from '../../ui/modal';
import { SnippetText } from '../../ui/snippet-text';
import { includesWords } from './command-items';
import { commandList } from './palette';

/** Sessions listed above the messages: recent ones, then those whose title has the words. */
const sessionsListed = 8;

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

/** The sessions whose title has the words, newest first; without words, the recent ones besides the open one. */
function useTitles(search: string) {
  const summaries = useMirror((mirror) => mirror.summaries);
  const current = useView((view) => view.sessionId);
  return useMemo(
    () =>
      Object.values(summaries)
        .filter(({ id, archived, title }) =>
          search.trim() === '' ? !archived && id !== current : includesWords(title, search),
        )
        .sort((a, b) => b.updatedAt - a.updatedAt)
        .slice(0, sessionsListed),
    [summaries, current, search],
  );
}

interface StateLineProps {
  readonly answer: Answer | null;
  /** Whether a session is listed although no message has the words. */
  readonly titled: boolean;
}

function StateLine({ answer, titled }: StateLineProps) {
  if (!answer) return <p className="px-4 pt-3 text-sm text-muted">{text('palette.search.about')}</p>;
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
  if (answer.hits.length > 0 || titled) return null;
  return (
    <p className="px-2.5 py-6 text-center text-muted">
      {text('shared.nothingFound', { search: answer.text })}
    </p>
  );
}

/** Finds sessions by their title, and messages of all sessions by their words. */
export function SearchDialog({ initial = '' }: { readonly initial: string | undefined }) {
  const { commands, view } = useApp();
  const [search, setSearch] = useState(initial);
  const answer = useHits(search);
  const titles = useTitles(search);
  const close = () => view.set({ dialog: null });
  const open = (sessionId: string, turn?: number) => {
    close();
    void commands.openSession(sessionId, turn);
  };
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
        <StateLine answer={answer} titled={titles.length > 0} />
        <Command.List className={commandList}>
          {titles.length > 0 && (
            <Command.Group heading={text(search.trim() === '' ? 'palette.recent' : 'palette.sessions')}>
              {titles.map(({ id, title }) => (
                <Command.Item key={id} value={`session ${id}`} onSelect={() => open(id)} className={menuItem}>
                  <MessageSquareText aria-hidden size={14} className="shrink-0 text-muted" />
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {title || text('shared.newSession')}
                  </span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          {answer && answer.hits.length > 0 && (
            <Command.Group heading={text('palette.search.messages')}>
              {answer.hits.map(({ sessionId, sessionTitle, turn, snippet }) => (
                <Command.Item
                  key={`${sessionId} ${turn}`}
                  value={`${sessionId} ${turn}`}
                  onSelect={() => open(sessionId, turn)}
                  className={`${menuItem} h-auto! flex-col items-start! gap-0.5! py-2`}
                >
                  <span dir="auto" className="w-full truncate font-medium">
                    {sessionTitle || text('shared.newSession')}
                  </span>
                  <SnippetText text={snippet} />
                </Command.Item>
              ))}
            </Command.Group>
          )}
        </Command.List>
      </Command>
    </Modal>
  );
}
