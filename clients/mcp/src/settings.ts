import { readFileSync } from 'node:fs';

export interface Settings {
  /** The URL of the gateway. */
  url: string;
  /** The API key; never printed. */
  apiKey: string;
  /** Public keys in PEM; null if SIGHTLINE_PUBLIC_KEY_FILE is not set. */
  publicKey: string | null;
}

/** A setting that is missing or wrong. The message contains no part of the key. */
export class SettingsError extends Error {}

/** @throws SettingsError */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const url = (environment['SIGHTLINE_URL'] ?? '').trim();
  const apiKey = (environment['SIGHTLINE_API_KEY'] ?? '').trim();
  const keyFile = (environment['SIGHTLINE_PUBLIC_KEY_FILE'] ?? '').trim();
  if (url === '') throw new SettingsError('SIGHTLINE_URL is not set: the address of the gateway, https://…');
  if (!isAddress(url))
    throw new SettingsError(
      'SIGHTLINE_URL is not an address that begins with https:// or http://, without a user',
    );
  if (apiKey === '') throw new SettingsError('SIGHTLINE_API_KEY is not set: a key of the workspace, vis_…');
  if (!/^vis_[0-9a-f]{48}$/.test(apiKey))
    throw new SettingsError('SIGHTLINE_API_KEY is not a key: vis_ and 48 hexadecimal characters');
  return { url, apiKey, publicKey: keyFile === '' ? null : readKey(keyFile) };
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
