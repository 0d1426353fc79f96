import { helpTopicOf, type HelpPage } from '#shared/help-page';
import { ArrowLeft } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { ListPanel } from '../../ui/list-panel';
import { useRowStop } from '../../ui/list-rows';
import { Markdown } from '../../ui/markdown/markdown';
import { useAnswer } from '../../ui/use-answer';
import { useMediaQuery } from '../../ui/use-media-query';

const row =
  'w-full rounded-md px-2.5 py-1.5 text-start text-sm hover:bg-hover aria-current:bg-active aria-current:font-medium';

/** Whether a page contains every word of a search; each does for an empty one. */
function contains(page: HelpPage, search: string): boolean {
  const content = `${page.title}\n${page.text}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => content.includes(word));
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
    return <p className="px-2.5 py-6 text-center text-sm text-muted">{text('help.noneFound', { search })}</p>;
  }
  return (
    <ul aria-label={text('help.topics')}>
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
        label={text('help.back')}
        className="absolute top-2 start-2 narrow:hidden"
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

/** The page to show: the chosen one, else the first, except in a narrow window, where the list comes first. */
function useShownPage(pages: readonly HelpPage[], chosen: string | null): HelpPage | undefined {
  const narrow = useMediaQuery('(max-width: 639px)');
  return pages.find(({ topic }) => topic === chosen) ?? (narrow ? undefined : pages[0]);
}

/** The user guide: its topics with a search through their texts, and the page that was chosen. */
export function HelpPanel() {
  const { view, commands } = useApp();
  const guide = useAnswer(commands.helpPages, null);
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [linked, setLinked] = useState(false);
  const open = (topic: string) => {
    setChosen(topic);
    setLinked(false);
  };
  const follow = useCallback((topic: string) => {
    setChosen(topic);
    setLinked(true);
  }, []);
  const pages = guide?.ok === true ? guide.value : [];
  const query = search.trim();
  const page = useShownPage(pages, chosen);
  return (
    <ListPanel
      label={text('help.title')}
      noun={text('help.noun')}
      search={search}
      onSearch={setSearch}
      list={
        guide?.ok === false ? (
          <ErrorCard error={guide.error} />
        ) : (
          guide && (
            <Topics
              pages={pages.filter((each) => contains(each, query))}
              search={query}
              chosen={page?.topic ?? null}
              onOpen={open}
            />
          )
        )
      }
      open={chosen !== null}
      onClose={() => view.set({ dialog: null })}
      className="mt-[6vh] h-[84vh] w-[64rem]"
    >
      {page && (
        <Page key={page.topic} page={page} focused={linked} onTopic={follow} onBack={() => setChosen(null)} />
      )}
    </ListPanel>
  );
}
