import { createHash, type Hash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { appError, type AppError } from '#shared/app-error';
import { createListeners } from '#shared/listeners';
import type { LocalModel, OfferedModel } from '#shared/local-model';
import { err, ok, type Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import { proxiedFetch, type Proxies } from '../system/proxied-fetch';
import { longWork, withLock, type LockDeps } from '../system/write-lock';
import { checkFreeSpace, notStored, type ModelFolder } from './model-folder';

const maxRedirects = 5;
/** A server that sends nothing for this long has stalled. */
const stallMs = 30_000;
const progressMs = 250;

export interface DownloadDeps {
  readonly folder: ModelFolder;
  readonly clock: Clock;
  /** The proxies of each request; null: none. */
  readonly proxies?: () => Proxies | null;
  /** The requests where `proxies` names none. */
  readonly direct?: typeof globalThis.fetch | undefined;
  readonly stallMs?: number;
  /** Two processes must not write the same file. */
  readonly lock: LockDeps;
}

const unavailable = (message: string, hint = 'Try again: it continues where it stopped.'): AppError =>
  appError('LLM', 'UNAVAILABLE', message, { hint, retryable: true });

const elsewhere = 'Try again later, or choose another address in Settings → Models.';

const otherFile = (host: string, detail: string): AppError =>
  appError('LLM', 'INVALID_REPLY', `${host} sent another file than the one offered: ${detail}.`, {
    hint: `Nothing was installed. ${elsewhere}`,
  });

const stopped = appError('HOST', 'CANCELLED', 'The download was stopped.', {
  hint: 'It continues where it stopped.',
});

/** The address of the file, at the mirror if there is one. LLM/UNAVAILABLE for a mirror that is not a web address. */
export function addressOf({ address }: OfferedModel, mirror: string): Result<URL> {
  const original = new URL(address);
  if (mirror.trim() === '') return ok(original);
  const base = URL.canParse(mirror.trim()) ? new URL(mirror.trim()) : null;
  if (!base || !/^https?:$/.test(base.protocol)) {
    return err(
      unavailable(`The mirror ${mirror.trim()} is not a web address.`, 'Correct it in Settings → Models.'),
    );
  }
  return ok(new URL(`${base.href.replace(/\/$/, '')}${original.pathname}`));
}

/** Reads what an earlier attempt left into the hash; returns its size in bytes. */
async function readPart(part: string, limit: number, hash: Hash): Promise<number> {
  const size = statSync(part, { throwIfNoEntry: false })?.size ?? 0;
  if (size > limit) rmSync(part);
  if (size === 0 || size > limit) return 0;
  for await (const chunk of createReadStream(part)) hash.update(chunk as Uint8Array);
  return size;
}

/** Where an answer's bytes begin in the file: its range, or the start. LLM/INVALID_REPLY for another file. */
function startOf(
  { status, headers }: Response,
  host: string,
  requested: number,
  bytes: number,
): Result<number> {
  // A captive network answers with its sign-in page, which must not replace what has arrived.
  if (/html/i.test(headers.get('content-type') ?? '')) return err(otherFile(host, 'it is a web page'));
  const partial = status === 206;
  const size = headers.get('content-length');
  const right = partial
    ? headers.get('content-range') === `bytes ${requested}-${bytes - 1}/${bytes}`
    : size === null || Number(size) === bytes;
  return right ? ok(partial ? requested : 0) : err(otherFile(host, 'its size differs'));
}

/** Where a redirect leads; never from https to http. */
function targetOf(target: string, from: URL): Result<URL> {
  const next = URL.canParse(target, from.href) ? new URL(target, from.href) : null;
  const secure = next?.protocol === 'https:' || (next?.protocol === 'http:' && from.protocol === 'http:');
  return next && secure
    ? ok(next)
    : err(unavailable(`${from.host} redirects to an address that is not secure.`, elsewhere));
}

/** Requests a file from some byte on, and follows redirects. */
async function followRedirects(
  fetch: typeof globalThis.fetch,
  address: URL,
  from: number,
  signal: AbortSignal,
): Promise<Result<Response>> {
  const headers = { 'accept-encoding': 'identity', ...(from > 0 && { range: `bytes=${from}-` }) };
  let url = address;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await fetch(url, { redirect: 'manual', signal, headers });
    if (response.ok) return ok(response);
    await response.body?.cancel();
    const target = response.headers.get('location');
    if (target === null)
      return err(unavailable(`${url.host} answered with status ${response.status}.`, elsewhere));
    const next = targetOf(target, url);
    if (!next.ok) return next;
    url = next.value;
  }
  return err(unavailable(`${address.host} redirects again and again.`, elsewhere));
}

/** A failed connection, or a folder that cannot be written. */
const failureOf = (error: unknown, { host }: URL, proxies: Proxies | null): AppError =>
  error instanceof TypeError || (error as NodeJS.ErrnoException).code === 'UND_ERR_SOCKET'
    ? unavailable(`${host} cannot be reached, or ended the connection.`, proxies ? throughProxy : undefined)
    : notStored(error);

const throughProxy =
  'Downloads go through a proxy: check it in Settings → Models or in the environment, then try again.';

/**
 * Downloads one model file of known size and hash: resumes what an earlier attempt left, hashes while it writes, and
 * renames the file into place only when both are right. One process at a time downloads.
 */
export function createModelDownload({
  folder,
  clock,
  proxies = () => null,
  direct = globalThis.fetch,
  stallMs: patience = stallMs,
  lock,
}: DownloadDeps) {
  const progressed = createListeners<[]>();
  let running: { readonly result: Promise<Result<LocalModel>>; readonly abort: AbortController } | null =
    null;
  let received = 0;
  let lastError: AppError | undefined;
  let pendingProgress = false;

  /** Reports progress at most once per interval. The last bytes before a pause are reported too. */
  const advance = (bytes: number): void => {
    received = bytes;
    if (pendingProgress) return;
    pendingProgress = true;
    clock.after(progressMs, () => {
      pendingProgress = false;
      if (running) progressed.notify();
    });
  };

  /** Writes the bytes of an answer to the part file and into the hash. */
  const store = async (
    response: Response,
    file: FileHandle,
    { hash, begin, bytes, host }: { hash: Hash; begin: number; bytes: number; host: string },
    alive: () => void,
  ): Promise<AppError | null> => {
    let size = begin;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      alive();
      size += chunk.length;
      if (size > bytes) return otherFile(host, `it is larger than ${bytes} bytes`);
      await file.appendFile(chunk);
      hash.update(chunk);
      advance(size);
    }
    await file.sync();
    return size === bytes ? null : unavailable(`${host} ended the connection early.`);
  };

  /** Ends a transfer when its server sends nothing. */
  const watchStall = (abort: AbortController) => {
    let stalled = false;
    let cancel = (): void => undefined;
    return {
      stalled: () => stalled,
      alive(): void {
        cancel();
        cancel = clock.after(patience, () => {
          stalled = true;
          abort.abort();
        });
      },
      end: () => cancel(),
    };
  };

  /** Gets the bytes from `had` on; returns the hash of the whole part file. */
  const fetchRest = async (
    { part, hash, had, bytes }: { part: string; hash: Hash; had: number; bytes: number },
    address: URL,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<Result<Hash>> => {
    const { host } = address;
    alive();
    const through = proxies();
    const fetch = through ? await proxiedFetch(through) : direct;
    const response = await followRedirects(fetch, address, had, signal);
    if (!response.ok) return response;
    const start = startOf(response.value, host, had, bytes);
    if (!start.ok) return start;
    const begin = start.value;
    const whole = begin < had ? createHash('sha256') : hash;
    const file = await open(part, begin > 0 ? 'a' : 'w', 0o600);
    try {
      const failure = await store(response.value, file, { hash: whole, begin, bytes, host }, alive);
      if (failure?.code === 'INVALID_REPLY') rmSync(part, { force: true });
      return failure ? err(failure) : ok(whole);
    } finally {
      await file.close();
    }
  };

  const receive = async (
    { name, bytes, sha256 }: OfferedModel,
    address: URL,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<Result<LocalModel>> => {
    const part = folder.partOf(name);
    const begun = createHash('sha256');
    const had = await readPart(part, bytes, begun);
    advance(had);
    const space = checkFreeSpace(folder.folder, bytes - had);
    if (!space.ok) return space;
    const hash =
      had < bytes ? await fetchRest({ part, hash: begun, had, bytes }, address, signal, alive) : ok(begun);
    if (!hash.ok) return hash;
    if (hash.value.digest('hex') !== sha256) {
      rmSync(part, { force: true });
      return err(otherFile(address.host, 'its SHA-256 differs'));
    }
    renameSync(part, folder.fileOf(name));
    const model = folder.find(name);
    return model ? ok(model) : err(otherFile(address.host, 'it is not a GGUF file that Patina can read'));
  };

  const download = async (
    offer: OfferedModel,
    address: URL,
    abort: AbortController,
  ): Promise<Result<LocalModel>> => {
    const stall = watchStall(abort);
    try {
      mkdirSync(folder.folder, { recursive: true, mode: 0o700 });
      return await withLock(
        `${folder.partOf(offer.name)}.lock`,
        lock,
        () => receive(offer, address, abort.signal, stall.alive),
        longWork,
      );
    } catch (error) {
      if (stall.stalled())
        return err(unavailable(`${address.host} sent nothing for ${patience / 1000} seconds.`));
      return err(abort.signal.aborted ? stopped : failureOf(error, address, proxies()));
    } finally {
      stall.end();
    }
  };

  return {
    onProgress: progressed.add,
    /** How far the download of a model is: bytes on this computer, whether it runs, and why it ended. */
    state: ({ name }: OfferedModel) => ({
      received: running ? received : folder.partBytes(name),
      running: running !== null,
      ...(lastError && { error: lastError }),
    }),
    /** Begins the download, or joins the one that runs. */
    start(offer: OfferedModel, address: URL): Promise<Result<LocalModel>> {
      if (running) return running.result;
      const abort = new AbortController();
      lastError = undefined;
      received = folder.partBytes(offer.name);
      const result = download(offer, address, abort).then((ended) => {
        running = null;
        lastError = ended.ok || ended.error.code === 'CANCELLED' ? undefined : ended.error;
        progressed.notify();
        return ended;
      });
      running = { result, abort };
      progressed.notify();
      return result;
    },
    /** What has arrived stays for the next attempt. */
    stop(): void {
      running?.abort.abort();
    },
  };
}

export type ModelDownload = ReturnType<typeof createModelDownload>;
