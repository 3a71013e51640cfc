import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gunzipSync, gzipSync } from 'node:zlib';
import { communityConnector, named } from './looker.ts';
import { Sheet, refuse } from './sheet.ts';

/* Stand-ins for the services of Google Apps Script, which refuse what the real ones refuse
   (https://developers.google.com/apps-script/reference, .../guides/services/quotas). */

const source = join(import.meta.dirname, '../../../clients/google/Code.gs');

/** A response as `UrlFetchApp` returns it, without waiting. */
export interface Fetched {
  status: number;
  text: string;
  headers: Record<string, string>;
}

const blob = (data: string | Buffer) => ({
  data,
  getBytes: () => Buffer.from(data),
  getDataAsString: () => data.toString(),
});

/** What the services of one user have in common. */
function newUser() {
  const began = Date.parse('2026-11-23T08:00:00Z');
  return {
    began,
    time: began,
    properties: new Map<string, string>(),
    cached: new Map<string, string>(),
    sheets: new Map<string, Sheet>(),
    said: [] as string[],
    slept: [] as number[],
    asked: [] as string[],
    prompted: '',
    checkTime() {
      refuse(this.time - this.began > 6 * 60_000, 'Exceeded maximum execution time');
    },
  };
}

type User = ReturnType<typeof newUser>;

const storageOf = ({ properties, cached }: User) => ({
  PropertiesService: {
    getUserProperties: () => ({
      getProperty: (name: string) => properties.get(name) ?? null,
      setProperty(name: string, value: string) {
        refuse(Buffer.byteLength(value) > 9 * 1024, 'You have exceeded the property storage quota.');
        properties.set(name, value);
      },
      deleteProperty: (name: string) => void properties.delete(name),
    }),
  },
  CacheService: {
    getUserCache: () => ({
      get: (name: string) => cached.get(name) ?? null,
      put(name: string, value: string, seconds: number) {
        refuse(name.length > 250 || value.length > 100 * 1024, 'Argument too large: value');
        refuse(seconds > 21_600, 'Invalid argument: expirationInSeconds');
        cached.set(name, value);
      },
    }),
  },
});

const spreadsheetOf = (user: User) => {
  const { sheets, said } = user;
  const ui = {
    Button: named('OK'),
    ButtonSet: named('OK_CANCEL'),
    prompt: () => ({ getSelectedButton: () => 'OK', getResponseText: () => user.prompted }),
    alert: (text: string) => void said.push(text),
  };
  const spreadsheet = {
    getSheetByName: (name: string) => sheets.get(name) ?? null,
    insertSheet(name: string) {
      refuse(sheets.has(name), `A sheet with the name "${name}" already exists.`);
      const sheet = new Sheet();
      sheets.set(name, sheet);
      return sheet;
    },
    toast: (text: string) => void said.push(text),
  };
  return { SpreadsheetApp: { getUi: () => ui, getActiveSpreadsheet: () => spreadsheet } };
};

const utilitiesOf = (user: User) => ({
  Utilities: {
    DigestAlgorithm: named('SHA_256'),
    computeDigest: (_: string, text: string) => createHash('sha256').update(text).digest(),
    base64Encode: (bytes: Buffer) => bytes.toString('base64'),
    base64Decode: (text: string) => Buffer.from(text, 'base64'),
    newBlob: blob,
    gzip: ({ data }: { data: string }) => blob(gzipSync(data)),
    ungzip: ({ data }: { data: Buffer }) => blob(gunzipSync(data)),
    sleep(ms: number) {
      refuse(ms > 300_000, 'Invalid argument: milliseconds');
      user.slept.push(ms);
      user.time += ms;
      user.checkTime();
    },
  },
});

type Fetch = (path: string, key: string) => Fetched;

const webOf = (user: User, url: string, fetch: Fetch) => ({
  UrlFetchApp: {
    fetch(address: string, options: { headers: Record<string, string>; muteHttpExceptions?: boolean }) {
      user.checkTime();
      refuse(!address.startsWith(`${url}/api/v1/`), `asks ${address}`);
      user.time += 500;
      const path = address.slice(`${url}/api/v1/`.length);
      user.asked.push(path);
      const { status, text, headers } = fetch(path, options.headers['Authorization']!.replace('Bearer ', ''));
      refuse(status >= 400 && options.muteHttpExceptions !== true, `returned code ${status}`);
      return { getResponseCode: () => status, getContentText: () => text, getHeaders: () => headers };
    },
  },
});

/** The script in an Apps Script project of one user. */
export function startProject(url: string, fetch: Fetch) {
  const user = newUser();
  class ScriptDate extends Date {
    static override now = () => user.time;
  }
  const services = {
    Date: ScriptDate,
    DataStudioApp: { createCommunityConnector: communityConnector },
    ...storageOf(user),
    ...spreadsheetOf(user),
    ...utilitiesOf(user),
    ...webOf(user, url, fetch),
  };
  const text = readFileSync(source, 'utf8').replace('https://api.example.com', url);
  /** Calls a function of the script. Each call is an execution of its own, with its own 6 minutes. */
  const call = (name: string, argument?: object): unknown => {
    const context = createContext({ ...services, argument, Math, JSON });
    user.time = user.began;
    return runInContext(`${text}\n;${name}(argument)`, context) as unknown;
  };
  const { properties, sheets, said, slept, asked } = user;
  const prompt = (answer: string) => void (user.prompted = answer);
  return { call, properties, sheets, said, slept, asked, prompt };
}
