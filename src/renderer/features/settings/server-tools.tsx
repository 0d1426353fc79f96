import type { ServerToolView } from '#shared/servers';

export interface ServerToolsProps {
  readonly server: string;
  readonly tools: readonly ServerToolView[];
  readonly busy: boolean;
  readonly onSwitch: (uri: string, on: boolean) => void;
}

/** The tools of a server with a switch each; a switch writes the tool's line in the project's manifest. */
export function ServerTools({ server, tools, busy, onSwitch }: ServerToolsProps) {
  return (
    <ul aria-label={`Tools of ${server}`} className="divide-y divide-line border-t border-line">
      {tools.map(({ uri, tool, description, access, allowed }) => (
        <li key={uri}>
          <label className="flex items-start gap-3 py-2 pr-3 pl-10 text-sm hover:bg-hover">
            <span className="min-w-0 flex-1">
              <span className="readable font-mono text-xs wrap-anywhere">{tool}</span>
              <span className="ml-2 text-xs text-muted">{access === 'read' ? 'reads' : 'may write'}</span>
              {description && <span className="block truncate text-xs text-muted">{description}</span>}
            </span>
            <input
              type="checkbox"
              role="switch"
              className="mt-1 size-4 accent-accent-strong"
              aria-label={`Allow ${tool}`}
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
