import { sourceId } from '#shared/resolver';
import type { Action, RouteCandidate, Routing } from '#shared/route';
import { richText, text } from '../../locales/text';
import { useMirror } from '../../store/app-context';
import { commandName } from '../../store/slash-lines';
import { EntityName } from '../../ui/entity-name';
import { shortText } from '../../ui/short-text';
import { formatList } from '../../ui/format';

const outcomeLooks: Readonly<Record<RouteCandidate['outcome'], string>> = {
  won: 'text-accent-text font-medium',
  lost: 'text-muted',
  unresolved: 'text-muted',
};

function Facts({ rows }: { readonly rows: readonly (readonly [string, string | undefined])[] }) {
  const shown = rows.filter((row): row is readonly [string, string] => row[1] !== undefined && row[1] !== '');
  return (
    <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
      {shown.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="readable min-w-0 wrap-anywhere">
            <EntityName text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function useActionFacts(action: Action): readonly (readonly [string, string | undefined])[] {
  const plane = useMirror((mirror) => mirror.controlPlane);
  const name = (id: string | undefined) =>
    id === undefined ? undefined : `${commandName(plane, id)} (${id})`;
  switch (action.type) {
    case 'open-picker':
      return [
        [text('inspector.route.command'), name(action.commandId)],
        [text('inspector.route.list'), sourceId(action.source)],
        [text('inspector.route.search'), action.prefilterText],
        [text('inspector.route.highlighted'), action.highlightId],
      ];
    case 'invoke-command':
      return [
        [text('inspector.route.command'), name(action.commandId)],
        [text('inspector.route.id'), action.resolvedId],
      ];
    case 'ask-clarifying-question':
      return [
        [text('inspector.route.question'), action.questionText],
        [text('inspector.route.answers'), action.options?.join(', ')],
        [text('inspector.route.command'), name(action.commandId)],
        [text('inspector.route.id'), action.resolvedId],
      ];
    case 'continue-with-llm':
      return [
        [text('inspector.route.reason'), action.reasonCode && text(`ui.route.reason.${action.reasonCode}`)],
      ];
  }
}

function ActionPart({ routing }: { readonly routing: Routing }) {
  const { action, trace } = routing;
  const facts = useActionFacts(action);
  return (
    <section aria-label={text('inspector.route.decision')} className="rounded-lg border border-line p-3">
      <p className="text-base font-medium">{text(`ui.route.action.${action.type}`)}</p>
      <p dir="auto" className="mt-0.5 text-sm text-muted wrap-anywhere">
        {shortText(trace.decision, 1_000)}
      </p>
      <Facts
        rows={[
          ...facts,
          [text('inspector.route.mode'), trace.mode],
          [text('inspector.route.readAs'), trace.folded],
          [
            text('inspector.route.question'),
            trace.question && `${trace.question.reading} (${trace.question.questionId})`,
          ],
          [text('inspector.route.notSearched'), formatList(trace.unavailable)],
        ]}
      />
    </section>
  );
}

function Found({ candidate }: { readonly candidate: RouteCandidate }) {
  const { items, itemCount } = candidate;
  if (itemCount === 0) return <>{text('inspector.route.nothing')}</>;
  const more = itemCount - items.length;
  return (
    <>
      {items.map(({ id, displayName }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <EntityName text={displayName || id} /> <EntityName text={id} className="font-mono text-muted" />
        </span>
      ))}
      {more > 0 && <span className="text-muted">{text('inspector.route.foundMore', { count: more })}</span>}
    </>
  );
}

function CandidateRow({ candidate }: { readonly candidate: RouteCandidate }) {
  const plane = useMirror((mirror) => mirror.controlPlane);
  const { commandId, pattern, slot, tier, strict, outcome, why } = candidate;
  return (
    <tr className="border-t border-line align-top">
      <td className="py-2 pe-3">
        <p className="font-medium wrap-anywhere">{commandName(plane, commandId)}</p>
        <p dir="auto" className="readable font-mono text-xs text-muted wrap-anywhere">
          {shortText(pattern, 300)}
        </p>
        {slot !== undefined && (
          <p className="mt-1 text-xs text-muted wrap-anywhere">
            {richText('inspector.route.lookedFor', {
              search: <EntityName text={slot} />,
              found: <Found candidate={candidate} />,
            })}
          </p>
        )}
        <p dir="auto" className="mt-1 text-xs text-muted wrap-anywhere">
          {shortText(why, 500)}
        </p>
      </td>
      <td className="py-2 pe-3 whitespace-nowrap">
        {tier === undefined ? '–' : text(`ui.route.tier.${tier}`)}
        {tier !== undefined && (
          <p className="text-xs text-muted">
            {strict ? text('inspector.route.strict') : text('inspector.route.notStrict')}
          </p>
        )}
      </td>
      <td className={`py-2 whitespace-nowrap ${outcomeLooks[outcome]}`}>
        {text(`ui.route.outcome.${outcome}`)}
      </td>
    </tr>
  );
}

const shownCandidates = 50;

interface CandidateTableProps {
  readonly caption: string;
  readonly candidates: readonly RouteCandidate[];
}

function CandidateTable({ caption, candidates }: CandidateTableProps) {
  return (
    <table className="mt-4 w-full text-start text-sm">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="text-start text-xs text-muted">
          <th scope="col" className="pb-1.5 text-start font-medium">
            {text('inspector.route.considered')}
          </th>
          <th scope="col" className="pb-1.5 text-start font-medium">
            {text('inspector.route.tier')}
          </th>
          <th scope="col" className="pb-1.5 text-start font-medium">
            {text('inspector.route.outcome')}
          </th>
        </tr>
      </thead>
      <tbody>
        {candidates.map((candidate, at) => (
          <CandidateRow key={`${at} ${candidate.commandId}`} candidate={candidate} />
        ))}
      </tbody>
    </table>
  );
}

/** The candidates that did not win, collapsed for readers who want to know why. */
function OtherCandidates({ candidates }: Pick<CandidateTableProps, 'candidates'>) {
  const shown = candidates.slice(0, shownCandidates);
  if (shown.length === 0) return null;
  return (
    <details className="mt-3">
      <summary className="text-sm text-muted">
        {text('inspector.route.others', { count: candidates.length })}
      </summary>
      <CandidateTable caption={text('inspector.route.othersCaption')} candidates={shown} />
      {candidates.length > shown.length && (
        <p className="numbers mt-2 text-xs text-muted">
          {text('inspector.route.first', { shown: shown.length, count: candidates.length })}
        </p>
      )}
    </details>
  );
}

/** A routing decision and its reason; the other candidates are collapsed, in the router's order. */
export function RouteView({ routing }: { readonly routing: Routing }) {
  const { candidates } = routing.trace;
  const won = candidates.filter(({ outcome }) => outcome === 'won');
  return (
    <>
      <ActionPart routing={routing} />
      {candidates.length === 0 && (
        <p className="mt-4 text-sm text-muted">{text('inspector.route.noPattern')}</p>
      )}
      {won.length > 0 && <CandidateTable caption={text('inspector.route.decidedCaption')} candidates={won} />}
      <OtherCandidates candidates={candidates.filter(({ outcome }) => outcome !== 'won')} />
    </>
  );
}
