import { readFileSync } from 'node:fs';

export interface Settings {
  /** The URL of the gateway. */
  url: string;
  /** The API key; never printed. Null over HTTP, where each caller sends its own. */
  apiKey: string | null;
  /** Public keys in PEM; null if SIGHTLINE_PUBLIC_KEY_FILE is not set. */
  publicKey: string | null;
  /** Where to listen over HTTP. */
  host: string;
  port: number;
}

/** A setting that is missing or wrong. The message contains no part of the key. */
export class SettingsError extends Error {}

/** @throws SettingsError */
export function readSettings(environment: NodeJS.ProcessEnv, isHttp: boolean): Settings {
  const valueOf = (name: string) => (environment[name] ?? '').trim();
  const url = valueOf('SIGHTLINE_URL');
  const keyFile = valueOf('SIGHTLINE_PUBLIC_KEY_FILE');
  if (url === '') throw new SettingsError('SIGHTLINE_URL is not set: the address of the gateway, https://…');
  if (!isAddress(url))
    throw new SettingsError(
      'SIGHTLINE_URL is not an address that begins with https:// or http://, without a user',
    );
  return {
    url,
    apiKey: isHttp ? null : checkedKey(valueOf('SIGHTLINE_API_KEY')),
    publicKey: keyFile === '' ? null : readKey(keyFile),
    host: valueOf('HOST') || '127.0.0.1',
    port: checkedPort(valueOf('PORT') || '8081'),
  };
}

function checkedKey(apiKey: string): string {
  if (apiKey === '') throw new SettingsError('SIGHTLINE_API_KEY is not set: a key of the workspace, vis_…');
  if (/^vis_[0-9a-f]{48}$/.test(apiKey)) return apiKey;
  throw new SettingsError('SIGHTLINE_API_KEY is not a key: vis_ and 48 hexadecimal characters');
}

function checkedPort(port: string): number {
  if (/^\d{1,5}$/.test(port) && Number(port) < 65_536) return Number(port);
  throw new SettingsError('PORT is not a number from 0 to 65535');
}

function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

function readKey(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`SIGHTLINE_PUBLIC_KEY_FILE: cannot read ${path} (${code})`, { cause: error });
  }
  if (text.includes('-----BEGIN PUBLIC KEY-----')) return text;
  throw new SettingsError(`SIGHTLINE_PUBLIC_KEY_FILE: ${path} has no public key in PEM`);
}
