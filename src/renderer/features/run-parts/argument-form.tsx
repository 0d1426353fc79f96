import { useState, type ReactNode } from 'react';
import { visibleControls } from '#shared/direction-controls';
import { isObject, type Json, type JsonObject } from '#shared/json';
import type { ApprovalState } from '#shared/session-state';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { formatList } from '../../ui/format';

/** More items, and longer texts, are drawn whole only on request. */
const maxItems = 50;
const maxText = 20_000;
const maxDepth = 4;

type Named = Pick<ApprovalState, 'names' | 'labels' | 'sources'>;

/** `first_name` and `firstName` as `First name`. */
function humanized(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** A member of `Object` itself is no label. */
const labelOf = ({ labels = {} }: Named, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined;

const toolOf = (source: string): string => visibleControls(source.replace(/^mcp:\/\//, ''));

function ShowAll({ onShow, children }: { readonly onShow: () => void; readonly children: ReactNode }) {
  return (
    <span className="flex flex-wrap items-center gap-1 text-muted">
      {children}
      <Button tone="quiet" className="h-6 px-1.5 text-xs" onClick={onShow}>
        {text('runParts.form.showAll')}
      </Button>
    </span>
  );
}

function TextValue({ value }: { readonly value: string }) {
  const [whole, setWhole] = useState(false);
  const cut = whole ? 0 : value.length - maxText;
  const shown = visibleControls(cut > 0 ? value.slice(0, maxText) : value);
  if (value === '') return <span className="text-muted">{text('runParts.form.empty')}</span>;
  if (!value.includes('\n') && value.length < 200)
    return <span className="readable wrap-anywhere">{shown}</span>;
  return (
    <>
      <pre
        tabIndex={0}
        aria-label={text('runParts.form.text')}
        className="readable max-h-64 overflow-auto rounded-md border border-line bg-code px-2 py-1.5 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
      >
        {shown}
      </pre>
      {cut > 0 && (
        <ShowAll onShow={() => setWhole(true)}>{text('ui.moreCharacters', { count: cut })}</ShowAll>
      )}
    </>
  );
}

/** A short value, with the name that a read of this run gives it. */
function Scalar({ value, names }: { readonly value: Json } & Named) {
  const id = typeof value === 'string' ? value : JSON.stringify(value);
  const known = names?.find((one) => one.value === id);
  return (
    <>
      {typeof value === 'string' ? <TextValue value={value} /> : <span>{JSON.stringify(value)}</span>}
      {known && (
        <span className="ms-2 text-muted wrap-anywhere" title={toolOf(known.source)}>
          {text('runParts.form.known', { name: visibleControls(known.name), source: toolOf(known.source) })}
        </span>
      )}
    </>
  );
}

/** The tools whose results an argument repeats. */
function Sources({ tools = [] }: { readonly tools: readonly string[] | undefined }) {
  if (tools.length === 0) return null;
  return (
    <p className="text-xs text-muted wrap-anywhere">
      {text('runParts.form.from', { sources: formatList(tools.map(toolOf)) })}
    </p>
  );
}

function Items({
  value,
  depth,
  ...named
}: { readonly value: readonly Json[]; readonly depth: number } & Named) {
  const [whole, setWhole] = useState(false);
  if (value.length === 0) return <span className="text-muted">{text('runParts.form.noItems')}</span>;
  const more = whole ? 0 : value.length - maxItems;
  return (
    <ol className="list-decimal space-y-1 ps-5">
      {value.slice(0, whole ? value.length : maxItems).map((item, at) => (
        <li key={at}>
          <Value value={item} depth={depth + 1} {...named} />
        </li>
      ))}
      {more > 0 && (
        <li className="list-none">
          <ShowAll onShow={() => setWhole(true)}>{text('runParts.form.more', { count: more })}</ShowAll>
        </li>
      )}
    </ol>
  );
}

function Fields({ value, depth, ...named }: { readonly value: JsonObject; readonly depth: number } & Named) {
  const rows = Object.entries(value);
  if (rows.length === 0) return <span className="text-muted">{text('runParts.form.noFields')}</span>;
  return (
    <dl className="grid grid-cols-[minmax(5rem,max-content)_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm max-sm:grid-cols-1">
      {rows.map(([name, one]) => (
        <div key={name} className="contents">
          <dt className="text-muted wrap-anywhere" title={name}>
            {visibleControls((depth === 0 ? labelOf(named, name) : undefined) ?? humanized(name))}
          </dt>
          <dd className="min-w-0">
            <Value value={one} depth={depth + 1} {...named} />
            {depth === 0 && (
              <Sources tools={named.sources?.find(({ argument }) => argument === name)?.tools} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value, depth, ...named }: { readonly value: Json; readonly depth: number } & Named) {
  if (depth > maxDepth) return <TextValue value={JSON.stringify(value, null, 2)} />;
  if (Array.isArray(value)) return <Items value={value as readonly Json[]} depth={depth} {...named} />;
  if (isObject(value)) return <Fields value={value} depth={depth} {...named} />;
  return <Scalar value={value} {...named} />;
}

/** The arguments of a call, readable: labels, real line breaks, lists, and names beside known ids. */
export function ArgumentForm({ approval }: { readonly approval: ApprovalState }) {
  const { names, labels, sources } = approval;
  const named = { ...(names && { names }), ...(labels && { labels }), ...(sources && { sources }) };
  return (
    <div className="mt-1.5 rounded-md border border-line bg-canvas px-3 py-2">
      <Value value={approval.arguments} depth={0} {...named} />
    </div>
  );
}
