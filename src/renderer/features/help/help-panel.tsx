import { helpTopicOf, type HelpPage } from '#shared/help-page';
import { ArrowLeft } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp, useMirror } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { ListPanel } from '../../ui/list-panel';
import { useRowStop } from '../../ui/list-rows';
import { Markdown } from '../../ui/markdown/markdown';
import { useAnswer } from '../../ui/use-answer';

const row =
  'w-full rounded-md px-2.5 py-1.5 text-start text-sm hover:bg-hover aria-current:bg-active aria-current:font-medium';

/** Whether a page contains every word of a search. */
function contains({ title, text }: HelpPage, search: string): boolean {
  const page = `${title}\n${text}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => page.includes(word));
}

interface TopicsProps {
  readonly pages: readonly HelpPage[];
  readonly search: string;
  readonly chosen: string | null;
  readonly onOpen: (topic: string) => void;
}

function Topics({ pages, search, chosen, onOpen }: TopicsProps) {
  const stopAt = useRowStop(
    pages.map(({ topic }) => topic),
    chosen,
  );
  if (pages.length === 0) {
    return <p className="px-2.5 py-6 text-center text-sm text-muted">No page contains “{search}”.</p>;
  }
  return (
    <ul aria-label="Topics">
      {pages.map(({ topic, title }) => (
        <li key={topic}>
          <button
            type="button"
            {...stopAt(topic)}
            aria-current={topic === chosen || undefined}
            className={row}
            onClick={() => onOpen(topic)}
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

interface PageProps {
  readonly page: HelpPage;
  readonly onTopic: (topic: string) => void;
  readonly onBack: () => void;
  /** Whether the page takes the focus: a link in another page led here. */
  readonly focused: boolean;
}

function Page({ page, onTopic, onBack, focused }: PageProps) {
  const { commands } = useApp();
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (focused) article.current?.focus();
  }, [focused]);
  const insideLink = useCallback(
    (href: string) => {
      const topic = helpTopicOf(href);
      return topic === null ? null : () => onTopic(topic);
    },
    [onTopic],
  );
  return (
    <>
      <IconButton
        bare
        icon={ArrowLeft}
        label="Back to the topics"
        className="absolute top-2 left-2 narrow:hidden"
        onClick={onBack}
      />
      <article
        ref={article}
        tabIndex={0}
        aria-label={page.title}
        className="h-full overflow-y-auto px-6 pt-5 pb-8 max-narrow:pt-12"
      >
        <Markdown
          text={page.text}
          streaming={false}
          onOpenLink={(url) => void commands.openLink(url)}
          onCopy={(text) => void commands.copy(text)}
          insideLink={insideLink}
        />
      </article>
    </>
  );
}

/** The user guide: its topics with a search through their texts, and the page that was chosen. */
export function HelpPanel() {
  const { view, commands } = useApp();
  const guide = useAnswer(commands.helpPages, null);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<{ readonly topic: string; readonly linked: boolean } | null>(null);
  const open = useCallback((topic: string) => setChosen({ topic, linked: false }), []);
  const follow = useCallback((topic: string) => setChosen({ topic, linked: true }), []);
  const narrow = useMediaQuery('(max-width: 640px)');
  const pages = guide?.ok ? guide.value : [];
  const asked = search.trim();
  const found = asked === '' ? pages : pages.filter((page) => contains(page, asked));
  // Beside the list there is always a page; in a narrow window the list comes first.
  const page = pages.find(({ topic }) => topic === chosen?.topic) ?? (narrow ? undefined : pages[0]);
  return (
    <ListPanel
      label="User guide"
      noun="user guide"
      search={search}
      onSearch={setSearch}
      list={
        guide &&
        (guide.ok ? (
          <Topics pages={found} search={asked} chosen={page?.topic ?? null} onOpen={open} />
        ) : (
          <ErrorCard error={guide.error} />
        ))
      }
      open={chosen !== null}
      onClose={() => view.set({ dialog: null })}
      className="mt-[6vh] h-[84vh] w-[64rem]"
    >
      {page && (
        <Page
          key={page.topic}
          page={page}
          focused={chosen?.linked ?? false}
          onTopic={follow}
          onBack={() => setChosen(null)}
        />
      )}
    </ListPanel>
  );
}
