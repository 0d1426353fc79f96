import { FileCheck2, X } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useApp } from '../../store/app-context';
import { classNames } from '../../ui/class-names';
import { IconButton } from '../../ui/icon-button';
import { Modal } from '../../ui/modal';
import { useAnswer } from '../../ui/use-answer';
import { useLatest } from '../../ui/use-latest';
import { DdrDetail } from './ddr-detail';
import { AllDdrs, FoundDdrs } from './ddr-list';
import { useDdrCalls } from './use-ddrs';

interface SearchProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

function Search({ text, onText, onClose }: SearchProps) {
  return (
    <div className="flex items-center gap-1 border-b border-line ps-3 pe-2">
      <input
        data-autofocus
        type="search"
        aria-label="Search the DDRs"
        placeholder="Search DDRs"
        autoComplete="off"
        spellCheck={false}
        dir="auto"
        maxLength={200}
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="h-11 min-w-0 flex-1 bg-transparent text-sm outline-none"
      />
      <IconButton bare icon={X} label="Close the DDRs" onClick={onClose} />
    </div>
  );
}

function NothingOpen() {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 px-6 text-center text-sm text-muted">
      <FileCheck2 aria-hidden size={20} strokeWidth={1.5} />
      <p className="max-w-64">Choose a DDR to read it, compare its versions and approve it.</p>
    </div>
  );
}

/** The design records: listed, searched, read, compared, and approved by the user. */
export function DdrPanel() {
  const { view } = useApp();
  const calls = useDdrCalls();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [time, setTime] = useState(0);
  const list = useAnswer(calls.list, time);
  const asked = text.trim();
  const found = useLatest(asked === '' ? null : asked, calls.search);
  const reload = useCallback(() => setTime((before) => before + 1), []);
  const close = () => view.set({ dialog: null });
  return (
    <Modal
      label="DDRs"
      onClose={close}
      className="mt-[6vh] h-[84vh] w-[64rem] max-w-[calc(100vw-2rem)] open:flex"
    >
      <div
        className={classNames(
          'flex w-80 shrink-0 flex-col border-e border-line max-narrow:w-full max-narrow:border-0',
          chosen !== null && 'max-narrow:hidden',
        )}
      >
        <h1 className="sr-only">DDRs</h1>
        <Search text={text} onText={setText} onClose={close} />
        <div className="relative min-h-0 grow overflow-y-auto p-1.5">
          {asked === '' ? (
            <AllDdrs list={list} chosen={chosen} onOpen={setChosen} />
          ) : (
            <FoundDdrs text={asked} hits={found?.output ?? null} onOpen={setChosen} />
          )}
        </div>
      </div>
      <div className={classNames('relative min-w-0 flex-1', chosen === null && 'max-narrow:hidden')}>
        {chosen === null ? (
          <NothingOpen />
        ) : (
          <DdrDetail
            key={chosen}
            id={chosen}
            onChanged={reload}
            onBack={() => setChosen(null)}
            {...{ calls, time }}
          />
        )}
      </div>
    </Modal>
  );
}
