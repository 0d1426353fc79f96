import { FileInput, Plus } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { useLostFocus } from '../../ui/use-lost-focus';
import { OutcomeLine } from './outcome-line';
import { ServerForm } from './server-form';
import { ServerImport } from './server-import';
import { ServerRow } from './server-row';
import { useServers } from './use-servers';

function ServerList({ servers }: { readonly servers: ReturnType<typeof useServers> }) {
  const { view, busy, test, remove, allow, accept, blockTool, switchTool, signIn, signOut } = servers;
  if (view === null) return null;
  if (view.servers.length === 0) {
    return (
      <p className="rounded-lg border border-dashed border-line p-4 text-sm text-muted">
        {text('settings.servers.none')}
      </p>
    );
  }
  return (
    <ul
      aria-label={text('settings.servers.list')}
      className="-my-2 divide-y divide-line rounded-lg border border-line"
    >
      {view.servers.map((server) => (
        <ServerRow
          key={server.name}
          server={server}
          busy={busy !== null}
          testing={busy === server.name}
          onTest={() => void test(server.name)}
          onRemove={() => void remove(server.name)}
          onAllow={() => void allow(server.name)}
          onAccept={(change) => void accept(server.name, change)}
          onBlock={(change) => void blockTool(server.name, change)}
          onSignIn={(host) => signIn(server.name, host)}
          onSignOut={() => void signOut(server.name)}
          onSwitch={(uri, on) => void switchTool(server.name, uri, on)}
        />
      ))}
    </ul>
  );
}

/** The form or the import that is open. */
function Panel({ servers }: { readonly servers: ReturnType<typeof useServers> }) {
  const { view, panel, busy, outcome, setPanel } = servers;
  if (panel?.kind === 'form') {
    return (
      <ServerForm
        names={view?.servers.map(({ name }) => name) ?? []}
        outcome={outcome}
        busy={busy !== null}
        onSave={(draft) => void servers.save(draft)}
        onCancel={() => setPanel(null)}
      />
    );
  }
  return (
    panel && (
      <ServerImport
        preview={panel.preview}
        busy={busy !== null}
        onImport={(input) => void servers.importServers(input)}
        onCancel={() => setPanel(null)}
      />
    )
  );
}

interface WaysToAddProps {
  readonly servers: ReturnType<typeof useServers>;
  readonly row: RefObject<HTMLDivElement | null>;
}

function WaysToAdd({ servers: { problem, setPanel, chooseFile }, row }: WaysToAddProps) {
  return (
    <div ref={row} className="flex flex-wrap gap-2">
      <Button disabled={problem !== null} onClick={() => setPanel({ kind: 'form' })}>
        <Plus aria-hidden size={14} /> {text('settings.servers.add')}
      </Button>
      <Button disabled={problem !== null} onClick={() => void chooseFile()}>
        <FileInput aria-hidden size={14} /> {text('settings.servers.import')}
      </Button>
    </div>
  );
}

/** The MCP servers: their state, their tools, and which of them this project may use. */
export function ServersSection() {
  const servers = useServers();
  const { view, problem, panel, outcome } = servers;
  const openers = useRef<HTMLDivElement>(null);
  const onFocus = useLostFocus(panel ?? view, () => openers.current?.querySelector('button')?.focus());
  return (
    <div onFocus={onFocus} className="contents">
      <p className="text-sm text-muted">{text('settings.servers.about')}</p>
      {problem && <ErrorCard error={problem} />}
      <ServerList servers={servers} />
      <Panel servers={servers} />
      {panel === null && <WaysToAdd servers={servers} row={openers} />}
      {panel?.kind !== 'form' && <OutcomeLine outcome={outcome} />}
      {view && (
        <p className="readable text-xs text-muted wrap-anywhere">
          {text('settings.servers.file', { file: view.file })}
        </p>
      )}
    </div>
  );
}
