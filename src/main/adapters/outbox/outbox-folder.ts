import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { OutgoingMail, Outbox } from '../../../core/ports/outbox';
import { codeOf, writeHint } from '../system/file-error';
import { writeNew } from '../system/atomic-file';

export interface OutboxDeps {
  /** `PATINA_HOME/outbox`; created by the first message. */
  readonly folder: string;
  readonly now: () => number;
}

/** A reserved domain that belongs to nobody: the delivering system inserts the real sender. */
const domain = 'patina.invalid';
const maxNames = 1_000;
/** Most mail clients cut a longer subject; the line limit is 998. */
const maxSubjectLength = 500;

/** Replaces characters that could end a header or change the text direction with spaces. */
const oneLine = (text: string, maxLength: number): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength);

const plainText = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '');

/** A group without members (RFC 5322 §3.4): names the list and hides the recipients from each other. */
const emptyGroup = (name: string): string => `"${name.replaceAll(/["\\]/g, '\\$&')}":;`;

/**
 * Formats the message according to RFC 5322: CRLF, folded and encoded headers, UTF-8. Loads the composer on
 * first use.
 */
async function compose(mail: OutgoingMail, now: number): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const name = oneLine(mail.list.displayName, 200) || oneLine(mail.list.id, 200);
  const message = new MailComposer({
    from: { name: oneLine(mail.senderName, 200), address: `outbox@${domain}` },
    to: emptyGroup(name),
    subject: oneLine(mail.subject, maxSubjectLength),
    text: plainText(mail.text),
    date: new Date(now),
    messageId: `<${randomUUID()}@${domain}>`,
    headers: {
      'X-Unsent': '1',
      'X-Patina-Template': oneLine(mail.template.id, 200),
      'X-Patina-Mailer-List': oneLine(mail.list.id, 200),
    },
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return (await message.compile().build()).toString('utf8');
}

/** `20260102T030405678Z-LIST-9`: sorts by time on every operating system. */
function baseName({ list }: OutgoingMail, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  return `${stamp}-${list.id.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60)}`;
}

function store(folder: string, base: string, message: string): Result<{ file: string }> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let number = 1; number <= maxNames; number += 1) {
    const file = number === 1 ? `${base}.eml` : `${base}-${number}.eml`;
    if (writeNew(path.join(folder, file), message)) return ok({ file });
  }
  return err(appError('HOST', 'STORAGE', `The outbox has no free name for ${base}.`));
}

/** Stores messages as `.eml` files: one complete file per message, never overwritten. */
export function createOutboxFolder({ folder, now }: OutboxDeps): Outbox {
  return {
    async put(mail) {
      const at = now();
      try {
        return store(folder, baseName(mail, at), await compose(mail, at));
      } catch (error) {
        const hint = writeHint(error, 'Check the permissions of the folder "outbox".');
        return err(
          appError('HOST', 'STORAGE', `The message could not be written (${codeOf(error)}).`, { hint }),
        );
      }
    },
  };
}
