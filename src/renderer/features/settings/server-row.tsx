import type { Result } from '#shared/result';
import type { ServerToolView, ServerView, SignInOffer } from '#shared/servers';
import type { ToolChange } from '#shared/tool-pin';
import {
  ChevronRight,
  CircleCheck,
  CircleDashed,
  CircleX,
  LoaderCircle,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { IconButton } from '../../ui/icon-button';
import { ServerSignIn } from './server-sign-in';
import { ServerCommand } from './server-command';
import { ToolBlockedLine } from '../run-parts/tool-blocked-line';
import { ToolChangeCard } from '../run-parts/tool-change-card';

interface StateStyle {
  readonly icon: LucideIcon;
  readonly ink: string;
}

const stateStyles: Readonly<Record<ServerView['state'], StateStyle>> = {
  idle: { icon: CircleDashed, ink: 'text-muted' },
  starting: { icon: LoaderCircle, ink: 'text-accent-text' },
  ready: { icon: CircleCheck, ink: 'text-accent-text' },
  failed: { icon: CircleX, ink: 'text-danger-text' },
};

interface ServerRowProps {
  readonly server: ServerView;
  readonly busy: boolean;
  readonly testing: boolean;
  readonly onTest: () => void;
  readonly onRemove: () => void;
  readonly onAllow: () => void;
  readonly onAccept: (change: ToolChange) => void;
  readonly onBlock: (change: ToolChange) => void;
  readonly onSwitch: (uri: string, on: boolean) => void;
  readonly onSignIn: (host: string) => Promise<Result<SignInOffer>>;
  readonly onSignOut: () => void;
}

function StatusLine({ server, testing }: Pick<ServerRowProps, 'server' | 'testing'>) {
  const state = testing ? 'starting' : server.state;
  const { icon: Icon, ink } = stateStyles[state];
  const allowed = server.tools.filter((tool) => tool.allowed).length;
  return (
    <p className="numbers flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
      <Icon aria-hidden size={14} className={`${ink} ${testing ? 'animate-spin' : ''}`} />
      <span className={ink}>{text(`settings.server.state.${state}`)}</span>
      {server.tools.length > 0 && (
        <span>
          · {text('settings.server.tools', { count: server.tools.length })}
          {allowed < server.tools.length && `, ${text('settings.server.allowedHere', { count: allowed })}`}
        </span>
      )}
      {server.signIn.host !== '' && (
        <span>· {text('settings.server.signedIn', { host: server.signIn.host })}</span>
      )}
      <span>· {text(server.trusted ? 'settings.server.trusted' : 'settings.server.untrusted')}</span>
    </p>
  );
}

/** What an idle server says of itself is information; what a running one says is a warning. */
const detailInks: Readonly<Record<ServerView['state'], string>> = {
  idle: 'text-muted',
  starting: 'text-muted',
  ready: 'text-copper-text',
  failed: 'text-danger-text',
};

function Trouble({ server }: { readonly server: ServerView }) {
  // The card below says it, with the button.
  if (server.detail === '' || server.signIn.state === 'needed') return null;
  return (
    <div className="px-3 pb-2.5 ps-10 text-sm">
      <p className={`wrap-anywhere ${detailInks[server.state]}`}>{server.detail}</p>
      {server.stderr !== '' && (
        <details className="mt-1 text-xs">
          <summary className="text-muted">{text('settings.server.stderr')}</summary>
          <pre
            tabIndex={0}
            className="readable mt-1 max-h-40 overflow-auto rounded-md border border-line bg-surface p-2 font-mono whitespace-pre-wrap"
          >
            {server.stderr}
          </pre>
        </details>
      )}
    </div>
  );
}

/** Adding a server by file does not allow it: the user allows it here. */
function NotAllowed({
  name,
  busy,
  onAllow,
}: { readonly name: string } & Pick<ServerRowProps, 'busy' | 'onAllow'>) {
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 pb-2.5 ps-10 text-sm">
      <p className="min-w-0 flex-1 text-copper-text">{text('settings.server.notAllowed')}</p>
      <Button disabled={busy} aria-label={text('settings.server.allowNamed', { name })} onClick={onAllow}>
        {text('settings.server.allow')}
      </Button>
    </div>
  );
}

/** One server: its state, command, tools and actions. */
export function ServerRow(props: ServerRowProps) {
  const { server, busy, testing, onTest, onRemove, onAllow, onAccept, onBlock, onSwitch } = props;
  const [open, setOpen] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { name, tools } = server;
  return (
    <li>
      <div className="flex items-start gap-2 py-2.5 pe-2 ps-2">
        <IconButton
          bare
          icon={ChevronRight}
          label={text(open ? 'settings.server.hideTools' : 'settings.server.showTools', { name })}
          aria-expanded={open}
          disabled={tools.length === 0}
          className={open ? 'rotate-(--quarter-turn)' : ''}
          onClick={() => setOpen(!open)}
        />
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <p className="truncate text-sm font-medium">{name}</p>
          {server.kind === 'bundled' ? (
            <p className="text-xs text-muted">{text('settings.server.bundled')}</p>
          ) : (
            <ServerCommand words={server.words} />
          )}
          <StatusLine server={server} testing={testing} />
          {server.limits !== '' && <p className="numbers text-xs text-muted">{server.limits}</p>}
        </div>
        <Button disabled={busy} aria-label={text('settings.server.testNamed', { name })} onClick={onTest}>
          {text('settings.server.test')}
        </Button>
        <IconButton
          bare
          icon={Trash2}
          label={text('settings.server.remove', { name })}
          disabled={busy}
          onClick={() => setRemoving(true)}
        />
      </div>
      {removing && (
        <div
          role="group"
          aria-label={text('settings.server.removeQuestion', { name })}
          className="flex flex-wrap items-center gap-2 px-3 pb-2.5 ps-10 text-sm"
        >
          <p className="min-w-0 flex-1">{text('settings.server.removeExplained', { name })}</p>
          <Button tone="quiet" autoFocus onClick={() => setRemoving(false)}>
            {text('shared.keep')}
          </Button>
          <Button tone="danger" onClick={onRemove}>
            {text('shared.remove')}
          </Button>
        </div>
      )}
      {!server.allowed && <NotAllowed name={name} busy={busy} onAllow={onAllow} />}
      <Trouble server={server} />
      <ServerSignIn server={server} busy={busy} onSignIn={props.onSignIn} onSignOut={props.onSignOut} />
      <ToolChanges changes={server.changes} busy={busy} onAccept={onAccept} onBlock={onBlock} />
      {open && tools.length > 0 && (
        <ServerTools server={name} tools={tools} busy={busy} onSwitch={onSwitch} />
      )}
    </li>
  );
}
interface ServerToolsProps {
  readonly server: string;
  readonly tools: readonly ServerToolView[];
  readonly busy: boolean;
  readonly onSwitch: (uri: string, on: boolean) => void;
}

/** The tools of a server with a switch each; a switch edits the tool's line in the project's manifest. */
function ServerTools({ server, tools, busy, onSwitch }: ServerToolsProps) {
  return (
    <ul
      aria-label={text('settings.server.toolsOf', { name: server })}
      className="divide-y divide-line border-t border-line"
    >
      {tools.map(({ uri, tool, description, access, allowed }) => (
        <li key={uri}>
          <label className="flex items-start gap-3 py-2 pe-3 ps-10 text-sm hover:bg-hover">
            <span className="min-w-0 flex-1">
              <span className="readable font-mono text-xs wrap-anywhere">{tool}</span>
              <span className="ms-2 text-xs text-muted">
                {text(access === 'read' ? 'settings.server.reads' : 'settings.server.mayWrite')}
              </span>
              {description && <span className="block truncate text-xs text-muted">{description}</span>}
            </span>
            <input
              type="checkbox"
              role="switch"
              className="mt-1 size-4 accent-accent-strong"
              aria-label={text('settings.server.allowTool', { tool })}
              checked={allowed}
              disabled={busy}
              onChange={(event) => onSwitch(uri, event.currentTarget.checked)}
            />
          </label>
        </li>
      ))}
    </ul>
  );
}
interface ToolChangesProps {
  readonly changes: readonly ToolChange[];
  readonly busy: boolean;
  readonly onAccept: (change: ToolChange) => void;
  readonly onBlock: (change: ToolChange) => void;
}
const toolName = (uri: string): string => uri.slice(uri.indexOf('.', 'mcp://'.length) + 1);
function Change({
  change,
  busy,
  onAccept,
  onBlock,
}: Omit<ToolChangesProps, 'changes'> & { change: ToolChange }) {
  const [reviewing, setReviewing] = useState(false);
  const [blocked, setBlocked] = useState(false);
  const tool = toolName(change.uri);
  if (change.keptBlocked && !reviewing) {
    return <ToolBlockedLine tool={tool} focused={blocked} onReview={() => setReviewing(true)} />;
  }
  const block = () => {
    setBlocked(true);
    setReviewing(false);
    if (!change.keptBlocked) onBlock(change);
  };
  return (
    <ToolChangeCard
      tool={tool}
      change={change}
      busy={busy}
      onAccept={onAccept}
      focused={reviewing}
      onBlock={block}
    />
  );
}

/** Tools whose definition differs from the one at their first use: the changes, and the two answers. */
export function ToolChanges({ changes, ...rest }: ToolChangesProps) {
  if (changes.length === 0) return null;
  return (
    <div className="space-y-2 px-3 pb-3 ps-10">
      {changes.map((change) => (
        <Change key={`${change.uri} ${change.hash}`} change={change} {...rest} />
      ))}
    </div>
  );
}
