import { ArrowRightLeft, Pencil, ShieldAlert, TriangleAlert, Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { z } from 'zod';
import { visibleControls } from '#shared/direction-controls';
import type { AppError } from '#shared/app-error';
import type { ApprovalEdit } from '#shared/approval';
import { parseJson } from '#shared/json';
import { writeTarget } from '#shared/ledger';
import type { Result } from '#shared/result';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { useCardDraft, useIsTyped } from '../../store/card-drafts';
import { draftCards } from '../../store/drafts';
import { Button } from '../../ui/button';
import { CallArguments } from '../../ui/call-arguments';
import { IconButton } from '../../ui/icon-button';
import { ArgumentForm } from './argument-form';
import { FileChangeView } from './file-change-view';
import { formatList } from '../../ui/format';

/** `mcp://server.tool` without its scheme. */
const shortName = (source: string): string => visibleControls(source.replace(/^mcp:\/\//, ''));

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
          {text('runParts.origins.trusted', { sources: formatList(known) })}
        </p>
      )}
      {unknown.length > 0 && (
        <p className="mt-1.5 flex items-start gap-1.5 text-xs text-copper-text wrap-anywhere">
          <ShieldAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          {text('runParts.origins.untrusted', { sources: formatList(unknown) })}
        </p>
      )}
    </>
  );
}

/** The flows between servers that the call would make. */
function Flows({ flows = [] }: Pick<ApprovalState, 'flows'>) {
  return flows.map(({ from, to }) => (
    <p
      key={`${from} ${to}`}
      className="mt-1.5 flex items-start gap-1.5 text-xs text-copper-text wrap-anywhere"
    >
      <ArrowRightLeft aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      {text('runParts.origins.flow', { from: visibleControls(from), to: visibleControls(to) })}
    </p>
  ));
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
  const draft = useCardDraft(draftCards.arguments(approvalId), z.string(), () =>
    visibleControls(JSON.stringify(approval.arguments, null, 2)),
  );
  const { value: json } = draft;
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const report = ({ message }: Pick<AppError, 'message'>): void => setProblem(message);
  const save = async (): Promise<void> => {
    const value = parseJson(json);
    if (!value.ok) return report({ message: text('runParts.editor.notJson', { reason: value.error }) });
    const edited = await onEdit({ approvalId, hash, arguments: value.value });
    if (edited.ok) done();
    else report(edited.error);
  };
  const done = (): void => {
    draft.drop();
    onDone();
  };
  return (
    <div className="mt-2">
      <textarea
        autoFocus={!draft.restored}
        aria-label={text('runParts.editor.name')}
        aria-describedby={problem === undefined ? undefined : id}
        aria-invalid={problem !== undefined}
        spellCheck={false}
        rows={Math.min(14, Math.max(4, json.split('\n').length))}
        value={json}
        onChange={(event) => draft.type(event.target.value)}
        className="readable block w-full resize-y rounded-md border border-line-strong bg-canvas px-3 py-2 font-mono text-xs outline-none focus:border-accent"
      />
      {problem !== undefined && (
        <p id={id} role="alert" className="mt-1 text-xs text-danger-text wrap-anywhere">
          {problem}
        </p>
      )}
      <div className="mt-2 flex justify-end gap-2">
        <Button className="h-7 px-2" tone="quiet" onClick={done}>
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
  readonly onEdit?: EditApproval;
}

/** Whether the user can take the write back, said before the answer. */
function UndoNote({ undo }: Pick<ApprovalState, 'undo'>) {
  if (undo === undefined) return null;
  return (
    <p className="mt-1.5 flex items-start gap-1.5 text-xs text-muted">
      {undo === 'possible' ? (
        <Undo2 aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      ) : (
        <TriangleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0 text-copper-text" />
      )}
      {text(undo === 'possible' ? 'runParts.undo.possible' : 'runParts.undo.impossible')}
    </p>
  );
}

/** The change of a file, or the arguments as a form where there is nothing to compare. */
function CallContent({ approval }: Pick<ApprovalCallProps, 'approval'>) {
  const { file } = approval;
  return (
    <>
      {file && <FileChangeView change={file} />}
      {(file === undefined || file.kind === 'unknown') && <ArgumentForm approval={approval} />}
    </>
  );
}

/** What a call does: the change of a file, or the arguments as a form; the exact arguments on request. */
export function CallDetails({ approval, onEdit }: ApprovalCallProps) {
  const isTyped = useIsTyped();
  const [editing, setEditing] = useState(() => isTyped(draftCards.arguments(approval.approvalId)));
  const [exact, setExact] = useState(false);
  const { again: fileChanged, undo, origins } = approval;
  return (
    <>
      {fileChanged && (
        <p role="status" className="mt-1.5 text-sm text-copper-text">
          {text('runParts.approval.again')}
        </p>
      )}
      {editing && onEdit ? (
        <Editor approval={approval} onEdit={onEdit} onDone={() => setEditing(false)} />
      ) : (
        <>
          <CallContent approval={approval} />
          <div className="mt-1 flex flex-wrap items-center gap-1">
            <Button
              tone="quiet"
              className="-ms-1.5 h-6 px-1.5 text-xs"
              aria-expanded={exact}
              onClick={() => setExact(!exact)}
            >
              {text(exact ? 'runParts.form.hideExact' : 'runParts.form.exact')}
            </Button>
            {onEdit && (
              <IconButton
                icon={Pencil}
                label={text('runParts.editor.edit')}
                onClick={() => setEditing(true)}
              />
            )}
          </div>
          {exact && <CallArguments value={approval.arguments} />}
        </>
      )}
      <Flows {...(approval.flows && { flows: approval.flows })} />
      <Origins {...(origins && { origins })} />
      <UndoNote {...(undo && { undo })} />
    </>
  );
}

/** The tool and the target of a call in one line. */
export function CallTitle({ approval }: { readonly approval: ApprovalState }) {
  const { tool, file, edited } = approval;
  return (
    <>
      <span className="font-mono text-sm wrap-anywhere">{shortName(tool)}</span>{' '}
      <span className="readable text-sm font-medium wrap-anywhere">
        {visibleControls(file?.path ?? writeTarget(approval.arguments))}
      </span>
      {edited && <span className="ms-2 text-xs text-muted">{text('runParts.editor.edited')}</span>}
    </>
  );
}
