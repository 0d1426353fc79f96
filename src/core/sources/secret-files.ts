import { hasKey } from '#shared/secret-shapes';

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
export function secretReason(path: string, text: string | null): string | null {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  if (secretNames.some((pattern) => pattern.test(name))) return `Files named ${name} often hold secrets.`;
  return text !== null && hasKey(text) ? 'It contains what looks like a key or a password.' : null;
}
