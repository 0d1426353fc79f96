import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A TLS key and a certificate for it that nobody but its own key vouches for; both PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const short = body.length < 0x80;
  const length = short ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text));

/** ecdsa-with-SHA256 and commonName, as the content of an object identifier. */
const ecdsaSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const commonName = der(0x06, Buffer.from('550403', 'hex'));

function certificate(publicKey: KeyObject, privateKey: KeyObject): Buffer {
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('localhost')))));
  const always = sequence(utcTime('000101000000Z'), utcTime('491231235959Z'));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const content = sequence(integer(1), ecdsaSha256, name, always, name, spki);
  const signature = sign('sha256', content, privateKey);
  return sequence(content, ecdsaSha256, der(0x03, Buffer.from([0]), signature));
}

/** Makes a new pair, so that no private key lies in the repository. */
export function selfSigned(): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const base64 = certificate(publicKey, privateKey).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.trimEnd()}\n-----END CERTIFICATE-----\n`,
  };
}
