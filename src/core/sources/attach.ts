import { appError, type AppError } from '#shared/app-error';
import {
  maxItemTextBytes,
  type AttachRequest,
  type Attached,
  type ContextItem,
  type ContextItemKind,
} from '#shared/context-item';
import { imageTokens } from '#shared/prompt-image';
import { err, ok, type Result } from '#shared/result';
import type { ContextItems, ReadAttachedFile, ReadPdf } from '../ports/context-items';
import type { ProjectFiles } from '../ports/project-files';
import type { CountTokens } from '../tools/model-usage';
import { imageType } from '../workspace/image-type';
import { hasKey } from '#shared/secret-shapes';
import { symbolText } from './symbols';

/** Names of files that hold keys, by their last part. */
const secretNames: readonly RegExp[] = [
  /^[.]env(?:[.](?!example$|sample$|template$|dist$).*)?$/i,
  /[.](?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)$/i,
  /^[.](?:npmrc|netrc|pgpass|pypirc|git-credentials|htpasswd)$/i,
  /^(?:credentials?|secrets?)(?:[.](?:json|ya?ml|toml|ini|txt))?$/i,
  /^service[-_]account.*[.]json$/i,
];

/** Why a file looks like a secret, by its name or by a key in its text; null when it does not. */
function secretReason(path: string, text: string | null): string | null {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  if (secretNames.some((pattern) => pattern.test(name))) return `Files named ${name} often hold secrets.`;
  return text !== null && hasKey(text) ? 'It contains what looks like a key or a password.' : null;
}

/** Maximum paths of an attached folder, and characters of its listing. */
const maxTreePaths = 2_000;
const maxTreeLength = 40_000;
/** Maximum size of an image that providers take. */
const maxImageBytes = 5_000_000;
/** Providers reduce a longer side themselves, or refuse it. */
const maxImageSide = 8_000;

export interface AttachDeps {
  readonly items: ContextItems;
  readonly read: ReadAttachedFile;
  readonly countTokens: () => Promise<CountTokens>;
  /** The changes of a project folder as a patch. */
  readonly diff: (project: string, staged: boolean) => Promise<Result<string>>;
  /** The text of a resource of an MCP server in a project folder. */
  readonly resource: (project: string, server: string, uri: string) => Promise<Result<string>>;
  /** A session as text, and its title. */
  readonly session: (id: string) => Result<{ readonly title: string; readonly text: string }>;
  /** Absent: this process cannot read PDFs. */
  readonly pdf?: ReadPdf;
  /** Makes an image fit the limits of the providers; null when this process cannot. */
  readonly resize?: (bytes: Uint8Array) => Uint8Array | null;
}

/** `base` is the folder of relative paths: the session's project, on the command line the caller's folder. */
export interface AttachInput extends AttachRequest {
  readonly base: string | null;
}

/** What becomes an item, before it is stored. */
interface Content extends Pick<ContextItem, 'kind' | 'ref' | 'mediaType'> {
  readonly bytes: Uint8Array;
  readonly tokens: number;
}

const refused = (message: string, hint: string): AppError =>
  appError('HOST', 'INVALID_INPUT', message, { hint });

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const strict = new TextDecoder('utf-8', { fatal: true });

/** The text of bytes; null when they are not UTF-8 text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** The sides of an image that models see in full. */
const usefulImageSide = 2_000;

/** The image that is sent: a large one is reduced where this process can. */
function imageContent({ resize }: AttachDeps, ref: string, bytes: Uint8Array): Result<Content> | null {
  const known = imageType(bytes);
  const isLarge =
    known !== null &&
    'width' in known &&
    (Math.max(known.width, known.height) > usefulImageSide || bytes.length > maxImageBytes);
  return sizedImage(ref, (isLarge ? resize?.(bytes) : null) ?? bytes);
}

function sizedImage(ref: string, bytes: Uint8Array): Result<Content> | null {
  const found = imageType(bytes);
  if (!found) return null;
  if ('rule' in found) return err(refused(`${ref} is not an image that can be sent. ${found.reason}`, ''));
  const { mediaType, width, height } = found;
  const large = bytes.length > maxImageBytes || Math.max(width, height) > maxImageSide;
  if (large) {
    const size = `${width} × ${height} pixels, ${megabytes(bytes.length)}`;
    const limit = `at most ${maxImageSide} pixels a side and ${megabytes(maxImageBytes)} are sent`;
    return err(refused(`${ref} is too large: ${size}; ${limit}.`, 'Attach a smaller picture.'));
  }
  return ok({ kind: 'image', ref, bytes, mediaType, tokens: imageTokens({ width, height }) });
}

async function textContent(
  { countTokens }: AttachDeps,
  kind: ContextItemKind,
  ref: string,
  text: string,
): Promise<Result<Content>> {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > maxItemTextBytes) {
    const size = `${megabytes(bytes.length)} of text, at most ${megabytes(maxItemTextBytes)} can be attached`;
    return err(refused(`${ref} is too large: ${size}.`, 'Attach a part of it, or let Agent Mode read it.'));
  }
  const count = await countTokens();
  return ok({ kind, ref, bytes, tokens: count(text) });
}

/** The files of a folder as a list within a budget; a last line says what is left out. */
function treeText({ paths, complete }: Pick<ProjectFiles, 'complete' | 'paths'>): string {
  let left = maxTreeLength;
  const shown = paths.slice(0, maxTreePaths).filter((path) => (left -= path.length + 1) >= 0);
  const rest = paths.length - shown.length;
  const more = complete ? `${rest}` : `${rest} or more`;
  return [...shown, ...(rest > 0 || !complete ? [`[${more} further files not listed]`] : [])].join('\n');
}

/** The readers of PDFs accept the mark anywhere in the first kilobyte; so does this. */
const isPdf = (bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes.subarray(0, 1_024)).includes('%PDF-');

async function fileContent(deps: AttachDeps, ref: string, bytes: Uint8Array): Promise<Result<Content>> {
  if (deps.pdf && isPdf(bytes)) {
    const text = await deps.pdf(bytes);
    return text.ok ? textContent(deps, 'file', ref, text.value) : named(ref, text.error);
  }
  const image = imageContent(deps, ref, bytes);
  if (image) return image;
  const text = textOf(bytes);
  if (text !== null) return textContent(deps, 'file', ref, text);
  return err(
    refused(
      `${ref} is a binary file, and a model cannot read it.`,
      'Attach a text file, a PDF, or a PNG, JPEG, GIF or WebP picture.',
    ),
  );
}

/** An error of a reader that does not know the name of the file. */
const named = (ref: string, error: AppError): Result<never> =>
  err({ ...error, message: `${ref}: ${error.message}` });

async function diffContent(deps: AttachDeps, base: string | null, staged: boolean): Promise<Result<Content>> {
  if (base === null) return err(noFolder('changes'));
  const patch = await deps.diff(base, staged);
  if (!patch.ok) return patch;
  if (patch.value === '')
    return err(refused(staged ? 'Nothing is staged.' : 'Nothing has changed since the last commit.', ''));
  return textContent(deps, 'diff', staged ? 'staged changes' : 'changes', patch.value);
}

const noFolder = (what: string): AppError =>
  refused(`There is no project folder whose ${what} could be attached.`, 'Choose a folder first.');

async function resourceContent(
  deps: AttachDeps,
  base: string | null,
  { server, uri }: Extract<AttachInput['source'], { type: 'resource' }>,
): Promise<Result<Content>> {
  if (base === null) return err(noFolder('resources'));
  const text = await deps.resource(base, server, uri);
  return text.ok ? textContent(deps, 'resource', uri, text.value) : text;
}

async function symbolContent(
  deps: AttachDeps,
  base: string | null,
  hit: Extract<AttachInput['source'], { type: 'symbol' }>,
): Promise<Result<Content>> {
  const file = await deps.read(hit.path, base);
  if (!file.ok) return file;
  const source = file.value.type === 'file' ? textOf(file.value.bytes) : null;
  const text = source === null ? null : await symbolText(source, hit);
  if (text !== null) return textContent(deps, 'text', `${file.value.ref} ${hit.name}`, text);
  const gone = `${hit.path} does not define ${hit.name} any more.`;
  return err(appError('HOST', 'NOT_FOUND', gone, { hint: 'Type @ and its name again.' }));
}

async function contentOf(deps: AttachDeps, { source, base }: AttachInput): Promise<Result<Content>> {
  if (source.type === 'content') return fileContent(deps, source.name, source.bytes);
  if (source.type === 'diff') return diffContent(deps, base, source.staged);
  if (source.type === 'symbol') return symbolContent(deps, base, source);
  if (source.type === 'resource') return resourceContent(deps, base, source);
  if (source.type === 'session') {
    const found = deps.session(source.id);
    return found.ok ? textContent(deps, 'session', found.value.title, found.value.text) : found;
  }
  const file = await deps.read(source.path, base);
  if (!file.ok) return file;
  return file.value.type === 'folder'
    ? textContent(deps, 'folder', file.value.ref, treeText(file.value))
    : fileContent(deps, file.value.ref, file.value.bytes);
}

/** Why an item should be confirmed first; null when nothing suggests a secret. */
function confirmReason({ kind, ref, bytes }: Content): string | null {
  const readable = kind === 'image' || kind === 'folder' ? null : textOf(bytes);
  return secretReason(ref, readable);
}

/**
 * Turns what the user names into a stored item, and says at once when that is not possible: HOST/NOT_FOUND,
 * HOST/INVALID_INPUT (binary, too large), HOST/STORAGE. What looks like a secret is not stored before the user
 * confirms it.
 */
export function createAttach(deps: AttachDeps) {
  return async (request: AttachInput): Promise<Result<Attached>> => {
    const content = await contentOf(deps, request);
    if (!content.ok) return content;
    const { kind, ref, bytes, tokens, mediaType } = content.value;
    const why = request.confirmed === true ? null : confirmReason(content.value);
    if (why !== null) return ok({ type: 'looks-secret', ref, why });
    const hash = deps.items.put(bytes);
    if (!hash.ok) return hash;
    const item = { kind, ref, hash: hash.value, bytes: bytes.length, tokens };
    return ok({ type: 'attached', item: { ...item, ...(mediaType && { mediaType }) } });
  };
}

export type Attach = ReturnType<typeof createAttach>;
