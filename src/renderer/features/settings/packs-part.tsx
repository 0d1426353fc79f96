import type { ChosenPack, InstalledPack, PackCounts, PackList, PackSummary } from '#shared/pack';
import type { Result } from '#shared/result';
import { Package } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { formatList } from '../../ui/format';
import { failed, OutcomeLine, type Outcome } from './outcome-line';

const kinds = ['catalogs', 'commands', 'modes', 'recipes', 'workflows'] as const;

/** What a pack brings, in words; kinds that it lacks are not named. */
function countsText(counts: PackCounts): string {
  const named = kinds.filter((kind) => counts[kind] > 0);
  if (named.length === 0) return text('settings.data.packs.empty');
  return formatList(named.map((kind) => text(`settings.data.packs.counts.${kind}`, { count: counts[kind] })));
}

function Problems({ problems }: Pick<PackSummary, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <ul className="mt-1 list-disc ps-5 text-sm text-danger-text wrap-anywhere">
      {problems.slice(0, 5).map(({ file, field, reason }) => (
        <li key={`${file} ${field} ${reason}`}>
          {[file.split(/[\\/]/).at(-1), field, reason].filter(Boolean).join(': ')}
        </li>
      ))}
    </ul>
  );
}

function About({ pack }: { readonly pack: PackSummary }) {
  return (
    <>
      <p className="text-sm wrap-anywhere">
        <span className="font-medium">{pack.title}</span>{' '}
        <span className="numbers text-muted">{pack.version}</span>
      </p>
      {pack.description !== '' && <p className="text-sm text-muted wrap-anywhere">{pack.description}</p>}
      <p className="numbers text-xs text-muted">{countsText(pack.counts)}</p>
      <Problems problems={pack.problems} />
    </>
  );
}

function PackRow({ pack, onRemove }: { readonly pack: InstalledPack; readonly onRemove: () => void }) {
  return (
    <li className="flex items-start gap-3 py-2.5">
      <Package aria-hidden size={16} className="mt-0.5 shrink-0 text-muted" />
      <div className="min-w-0 grow">
        <About pack={pack} />
        {!pack.inUse && pack.problems.length === 0 && (
          <p className="text-xs text-copper-text">{text('settings.data.packs.next')}</p>
        )}
      </div>
      <Button
        tone="quiet"
        className="h-7 px-2"
        aria-label={text('settings.data.packs.removeNamed', { title: pack.title })}
        onClick={onRemove}
      >
        {text('settings.data.packs.remove')}
      </Button>
    </li>
  );
}

interface PreviewProps {
  readonly chosen: ChosenPack;
  readonly onInstall: () => void;
  readonly onCancel: () => void;
}

/** A pack that the user chose; nothing is copied before the button is pressed. */
function Preview({ chosen: { folder, pack, replaces }, onInstall, onCancel }: PreviewProps) {
  return (
    <div className="flex flex-col gap-1.5 rounded-lg border border-line p-4">
      <p className="readable text-xs text-muted wrap-anywhere">{folder}</p>
      <About pack={pack} />
      {replaces !== null && (
        <p className="numbers text-sm">{text('settings.data.packs.replaces', { version: replaces })}</p>
      )}
      <div className="mt-1 flex justify-end gap-2">
        <Button tone="quiet" onClick={onCancel}>
          {text('shared.cancel')}
        </Button>
        <Button tone="primary" autoFocus disabled={pack.problems.length > 0} onClick={onInstall}>
          {text('settings.data.packs.install')}
        </Button>
      </div>
    </div>
  );
}

/** The packs in Patina's folder: a change takes effect at the next start, which is one click away. */
export function PacksPart() {
  const commands = useCommands();
  const [list, setList] = useState<PackList | null>(null);
  const [chosen, setChosen] = useState<ChosenPack | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  useEffect(() => {
    void commands.listPacks().then((read) => {
      if (read.ok) setList(read.value);
      else setOutcome(failed(read.error));
    });
  }, [commands]);

  const act = async <T,>(work: Promise<Result<T>>, done: (value: T) => Outcome | null): Promise<void> => {
    const result = await work;
    setOutcome(result.ok ? done(result.value) : failed(result.error));
    const read = await commands.listPacks();
    if (read.ok) setList(read.value);
  };
  const choose = () =>
    act(commands.choosePack(), (found) => {
      setChosen(found);
      return null;
    });
  const install = () =>
    act(commands.installPack(), () => {
      setChosen(null);
      return { good: true, text: text('settings.data.packs.installed') };
    });
  const remove = (id: string) =>
    act(commands.removePack(id), () => ({ good: true, text: text('settings.data.packs.removed') }));

  const waits =
    list !== null &&
    (list.removed.length > 0 || list.packs.some(({ inUse, problems }) => !inUse && problems.length === 0));
  return (
    <>
      {list && list.packs.length > 0 && (
        <ul aria-label={text('settings.data.packs.title')} className="divide-y divide-line">
          {list.packs.map((pack) => (
            <PackRow key={pack.id} pack={pack} onRemove={() => void remove(pack.id)} />
          ))}
        </ul>
      )}
      {chosen && (
        <Preview chosen={chosen} onInstall={() => void install()} onCancel={() => setChosen(null)} />
      )}
      <div className="flex flex-wrap gap-2">
        {!chosen && <Button onClick={() => void choose()}>{text('settings.data.packs.choose')}</Button>}
        {waits && (
          <Button tone="primary" onClick={() => void commands.restartWithout([])}>
            {text('settings.data.backup.restart')}
          </Button>
        )}
      </div>
      <OutcomeLine outcome={outcome} />
    </>
  );
}
