import { FileCheck2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { text } from '../../locales/text';
import { useApp } from '../../store/app-context';
import { ListPanel } from '../../ui/list-panel';
import { useAnswer } from '../../ui/use-answer';
import { useLatest } from '../../ui/use-latest';
import { DdrDetail } from './ddr-detail';
import { AllDdrs, FoundDdrs } from './ddr-list';
import { useDdrCalls } from './use-ddrs';

function EmptyPanel() {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 px-6 text-center text-sm text-muted">
      <FileCheck2 aria-hidden size={20} strokeWidth={1.5} />
      <p className="max-w-64">{text('ddrs.choose')}</p>
    </div>
  );
}

/** The design records: list, search, read, compare, and approve by the user. */
export function DdrPanel() {
  const { view } = useApp();
  const calls = useDdrCalls();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [time, setTime] = useState(0);
  const list = useAnswer(calls.list, time);
  const query = search.trim();
  const found = useLatest(query === '' ? null : query, calls.search);
  const reload = useCallback(() => setTime((before) => before + 1), []);
  const shown =
    query === '' ? (
      <AllDdrs list={list} chosen={chosen} onOpen={setChosen} />
    ) : (
      <FoundDdrs search={query} hits={found?.output ?? null} onOpen={setChosen} />
    );
  return (
    <ListPanel
      label={text('ddrs.title')}
      noun={text('ddrs.nouns')}
      search={search}
      onSearch={setSearch}
      list={shown}
      open={chosen !== null}
      onClose={() => view.set({ dialog: null })}
      className="mt-[6vh] h-[84vh] w-[64rem]"
    >
      {chosen === null ? (
        <EmptyPanel />
      ) : (
        <DdrDetail
          key={chosen}
          id={chosen}
          onChanged={reload}
          onBack={() => setChosen(null)}
          calls={calls}
          time={time}
        />
      )}
    </ListPanel>
  );
}
