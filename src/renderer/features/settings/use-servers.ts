import type { IpcInput } from '#shared/ipc';
import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { ImportPreview, ServersView } from '#shared/servers';
import type { ToolChange } from '#shared/tool-pin';
import { useCallback, useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { failed, type Outcome } from './outcome-line';

type Panel = { readonly kind: 'form' } | { readonly kind: 'import'; readonly preview: ImportPreview } | null;

/** The servers according to main, and the actions on them; one action at a time. */
export function useServers() {
  const commands = useCommands();
  const [view, setView] = useState<ServersView | null>(null);
  const [problem, setProblem] = useState<AppError | null>(null);
  const [panel, setPanel] = useState<Panel>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  const take = useCallback((listed: Result<ServersView>) => {
    setProblem(listed.ok ? null : listed.error);
    if (listed.ok) setView((before) => withKnownTools(before, listed.value));
  }, []);
  const load = async (start?: string | true) => take(await commands.listServers(start));
  useEffect(() => void commands.listServers().then(take), [commands, take]);

  const withBusy = async (what: string, work: () => Promise<Result<unknown>>, done?: string) => {
    setBusy(what);
    setOutcome(null);
    const result = await work();
    setBusy(null);
    if (!result.ok) return setOutcome(failed(result.error));
    if (done !== undefined) {
      setOutcome({ good: true, text: done });
      setPanel(null);
    }
    await load();
  };

  const changeOf = afterwards(withBusy, load);
  return {
    view,
    problem,
    panel,
    busy,
    outcome,
    setPanel,
    test: async (name: string) => {
      setOutcome(null);
      setBusy(name);
      await load(name);
      setBusy(null);
    },
    save: (draft: IpcInput<'server-save'>) =>
      withBusy(
        'save',
        () => commands.saveServer(draft),
        text('settings.servers.added', { name: draft.name }),
      ),
    remove: (name: string) =>
      withBusy(name, () => commands.removeServer(name), text('settings.servers.removed', { name })),
    allow: (name: string) =>
      withBusy(name, () => commands.allowServer(name), text('settings.servers.allowed', { name })),
    /** Signs in at the host that the user has just seen, then lists the server's tools. */
    signIn: async (name: string, host: string) => {
      setOutcome(null);
      const signed = await commands.signIn(name, host);
      if (signed.ok) {
        setBusy(name);
        await load(name);
        setBusy(null);
        setOutcome({ good: true, text: text('settings.servers.signedIn', { name }) });
      }
      return signed;
    },
    signOut: (name: string) =>
      withBusy(name, () => commands.signOut(name), text('settings.servers.signedOut', { name })),
    switchTool: (server: string, uri: string, on: boolean) =>
      changeOf(server, () => commands.switchTool(uri, on)),
    accept: (server: string, { uri, hash }: ToolChange) =>
      changeOf(server, () => commands.acceptTool(uri, hash)),
    blockTool: (server: string, { uri, hash }: ToolChange) =>
      withBusy(server, () => commands.blockTool(uri, hash)),
    chooseFile: async () => {
      const chosen = await commands.chooseServerFile();
      if (!chosen.ok) setOutcome(failed(chosen.error));
      else if (chosen.value) setPanel({ kind: 'import', preview: chosen.value });
    },
    importServers: (input: IpcInput<'server-import'>) =>
      withBusy('import', () => commands.importServers(input), text('settings.servers.imported')),
  };
}

/** A listing that starts no servers has no tools, so keep showing the tools known from the previous one. */
function withKnownTools(before: ServersView | null, now: ServersView): ServersView {
  const known = new Map(before?.servers.map(({ name, tools }) => [name, tools]));
  const servers = now.servers.map((server) =>
    server.tools.length === 0 && server.state === 'ready'
      ? { ...server, tools: known.get(server.name) ?? [] }
      : server,
  );
  return { ...now, servers };
}

/** Runs an action on a server's tools, then lists them again. */
function afterwards(
  withBusy: (what: string, work: () => Promise<Result<null>>) => Promise<void>,
  load: (server: string) => Promise<void>,
) {
  return (server: string, work: () => Promise<Result<null>>) =>
    withBusy(server, async () => {
      const changed = await work();
      if (changed.ok) await load(server);
      return changed;
    });
}
