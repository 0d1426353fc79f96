import { Pencil, ShieldAlert } from 'lucide-react';
import { useId, useState } from 'react';
import type { AppError } from '#shared/app-error';
import type { ApprovalEdit } from '#shared/approval';
import { parseJson } from '#shared/json';
import type { Result } from '#shared/result';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { CallArguments } from '../../ui/call-arguments';
import { IconButton } from '../../ui/icon-button';

/** `mcp://server.tool` without its scheme. */
const shortName = (source: string): string => source.replace(/^mcp:\/\//, '');

/** The possible sources of the data in a call; untrusted ones are marked. */
function Origins({ origins = [] }: Pick<ApprovalState, 'origins'>) {
  const names = (trusted: boolean) => [
    ...new Set(origins.filter((one) => one.trusted === trusted).map(({ source }) => shortName(source))),
  ];
  const [known, unknown] = [names(true), names(false)];
  return (
    <>
      {known.length > 0 && (
        <p className="mt-1.5 text-xs text-muted wrap-anywhere">
          {text('runParts.origins.trusted', { sources: known.join(', ') })}
        </p>
      )}
      {unknown.length > 0 && (
        <p className="mt-1.5 flex items-start gap-1.5 text-xs text-copper-text wrap-anywhere">
          <ShieldAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          {text('runParts.origins.untrusted', { sources: unknown.join(', ') })}
        </p>
      )}
    </>
  );
}

export type EditApproval = (edit: ApprovalEdit) => Promise<Result<null>>;

/** An editor for the arguments; a saved edit is validated like any call and shown again. */
function Editor({
  approval,
  onEdit,
  onDone,
}: {
  approval: ApprovalState;
  onEdit: EditApproval;
  onDone: () => void;
}) {
  const { approvalId, hash } = approval;
  const [json, setJson] = useState(() => JSON.stringify(approval.arguments, null, 2));
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const report = ({ message }: Pick<AppError, 'message'>): void => setProblem(message);
  const save = async (): Promise<void> => {
    const value = parseJson(json);
    if (!value.ok) return report({ message: text('runParts.editor.notJson', { reason: value.error }) });
    const edited = await onEdit({ approvalId, hash, arguments: value.value });
    if (edited.ok) onDone();
    else report(edited.error);
  };
  return (
    <div className="mt-2">
      <textarea
        autoFocus
        aria-label={text('runParts.editor.name')}
        aria-describedby={problem === undefined ? undefined : id}
        aria-invalid={problem !== undefined}
        spellCheck={false}
        rows={Math.min(14, Math.max(4, json.split('\n').length))}
        value={json}
        onChange={(event) => setJson(event.target.value)}
        className="readable block w-full resize-y rounded-md border border-line-strong bg-canvas px-3 py-2 font-mono text-xs outline-none focus:border-accent"
      />
      {problem !== undefined && (
        <p id={id} role="alert" className="mt-1 text-xs text-danger-text wrap-anywhere">
          {problem}
        </p>
      )}
      <div className="mt-2 flex justify-end gap-2">
        <Button className="h-7 px-2" tone="quiet" onClick={onDone}>
          {text('runParts.editor.discard')}
        </Button>
        <Button className="h-7 px-2" onClick={() => void save()}>
          {text('runParts.editor.use')}
        </Button>
      </div>
    </div>
  );
}

export interface ApprovalCallProps {
  readonly approval: ApprovalState;
  /** Whether this call is selected for approval; present only when several calls share a card. */
  readonly chosen?: boolean;
  readonly onChoose?: (chosen: boolean) => void;
  readonly onEdit?: EditApproval;
}

/** One pending call: its tool, its exact arguments and their sources. */
export function ApprovalCall({ approval, chosen, onChoose, onEdit }: ApprovalCallProps) {
  const [editing, setEditing] = useState(false);
  const id = useId();
  return (
    <div className="mt-2">
      <div className="flex min-h-7 items-center gap-2">
        {onChoose && (
          <input
            id={id}
            type="checkbox"
            className="size-4 shrink-0 accent-(--color-accent-strong)"
            checked={chosen}
            onChange={(event) => onChoose(event.target.checked)}
          />
        )}
        <label htmlFor={onChoose && id} className="min-w-0 grow font-mono text-sm wrap-anywhere">
          {approval.tool}
          {approval.edited && (
            <span className="ms-2 font-sans text-xs text-muted">{text('runParts.editor.edited')}</span>
          )}
        </label>
        {onEdit && !editing && (
          <IconButton icon={Pencil} label={text('runParts.editor.edit')} onClick={() => setEditing(true)} />
        )}
      </div>
      {editing && onEdit ? (
        <Editor approval={approval} onEdit={onEdit} onDone={() => setEditing(false)} />
      ) : (
        <CallArguments value={approval.arguments} />
      )}
      <Origins {...(approval.origins && { origins: approval.origins })} />
    </div>
  );
}
