import { diff } from 'node:util';
import { Window } from 'happy-dom';
import type { HTMLElement, HTMLInputElement } from 'happy-dom';
import { vi } from 'vitest';
import type { ListeningGateway } from '../gateway.ts';
import { linesOf } from './lines.ts';

const getBBox = () => ({ x: 0, y: 0, width: 100, height: 20 });

/** What is wrong while the page works. */
export interface Faults {
  /** Alters a text that the page receives; null for no response, undefined for no change. */
  alter?: (text: string) => string | null | undefined;
  /** Replaces the status of the response to a path; undefined for no change. */
  status?: (path: string) => number | undefined;
  /** Replace those of a response. */
  headers?: Record<string, string>;
  isInsecure?: boolean;
  mayNotCopy?: boolean;
}

/**
 * A reader of /explore: the page and the script that the gateway serves, in a DOM without layout. Time passes only while
 * the page waits; `Date` must be faked.
 */
export class Reader {
  faults: Faults = {};
  readonly #base: string;
  readonly #window = new Window({
    url: 'http://127.0.0.1/explore',
    width: 1200,
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      disableJavaScriptFileLoading: true,
    },
  });
  /** What the page did apart from changing its DOM. */
  readonly #effects: string[] = [];
  #lines: string[] = [];
  #underWay = 0;
  #order: Promise<unknown> = Promise.resolve();
  #later: (() => void)[] = [];

  private constructor({ base }: ListeningGateway) {
    this.#base = base;
    this.#equip();
    this.#standInForLayout();
  }

  static async open(gateway: ListeningGateway): Promise<Reader> {
    const textOf = async (path: string) => await (await fetch(gateway.base + path)).text();
    const reader = new Reader(gateway);
    reader.#window.document.write(await textOf('/explore'));
    reader.#window.eval(`'use strict';${await textOf('/explore/page.js')}`);
    return reader;
  }

  /** Replaces what leads out of the page, so that it can be seen and awaited. */
  #equip(): void {
    const log = (effect: string) => void this.#effects.push(effect);
    const { subtle } = crypto;
    const counted = (['digest', 'importKey', 'verify'] as const).map((name) => {
      const call = (args: unknown[]) => Reflect.apply(subtle[name], subtle, args) as Promise<unknown>;
      return [name, async (...args: unknown[]) => await this.#count(call(args))];
    });
    this.#replace({
      Date,
      crypto: { subtle: Object.fromEntries(counted) as object },
      fetch: async (path: string, init: RequestInit = {}) => await this.#count(this.#fetch(path, init)),
      setTimeout: (work: () => void, ms?: number) => this.#wait(work, ms),
      requestAnimationFrame: (work: () => void) => this.#wait(work, 0),
      reportError: (error: unknown) => log(`error: ${String(error)}`),
      print: () => log('print'),
    });
    Object.defineProperty(this.#window, 'isSecureContext', { get: () => this.faults.isInsecure !== true });
    this.#window.addEventListener('error', (event) => log(`error: ${String(Reflect.get(event, 'message'))}`));
    const { HTMLAnchorElement, Location, URL: PageUrl, navigator } = this.#window;
    let file = new Blob();
    const download = async (name: string) => log(`download ${name}\n${linesOf(await file.text())}`);
    const count = async (work: Promise<void>) => await this.#count(work);
    Object.assign(PageUrl, {
      createObjectURL: (blob: Blob) => (file = blob),
      revokeObjectURL: () => log('free the file'),
    });
    Object.assign(HTMLAnchorElement.prototype, {
      click(this: { download: string }) {
        void count(download(this.download));
      },
    });
    Object.assign(Location.prototype, { reload: () => log('reload') });
    Object.assign(navigator.clipboard, {
      writeText: async (text: string) => {
        if (this.faults.mayNotCopy === true) throw new Error('not allowed');
        log(`copy\n${text}`);
      },
    });
  }

  #standInForLayout(): void {
    const log = (effect: string) => void this.#effects.push(effect);
    const { HTMLElement: AnyElement, SVGElement, SVGSVGElement } = this.#window;
    const scrollTo = (_: number, y: number) => {
      log(`scroll to ${y}`);
      this.#replace({ scrollY: y });
    };
    this.#replace({ scrollY: 0, scrollTo });
    Object.defineProperty(AnyElement.prototype, 'clientWidth', { get: () => this.#window.innerWidth / 2 });
    Object.assign(AnyElement.prototype, {
      scrollIntoView(this: HTMLElement) {
        log(`scroll to #${this.id}`);
      },
    });
    Object.assign(SVGElement.prototype, { clientLeft: 0, clientTop: 0, getBBox });
    // Its points cannot be transformed. Without them, d3 uses the place of the element.
    Object.assign(SVGSVGElement.prototype, { createSVGPoint: undefined });
  }

  #replace(parts: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(parts))
      Object.defineProperty(this.#window, name, { value, writable: true, configurable: true });
  }

  async #fetch(path: string, { headers, signal }: RequestInit): Promise<Response> {
    this.#effects.push(`GET ${path}`);
    // One after the other: what the page does must not depend on which response is first.
    const answer = this.#order.then(async () => {
      const response = await fetch(this.#base + path, { headers: headers ?? {} });
      return { response, text: await response.text() };
    });
    this.#order = answer;
    const { response, text } = await answer;
    const altered = this.faults.alter?.(text);
    const status = this.faults.status?.(path) ?? response.status;
    signal?.throwIfAborted();
    if (altered === null) throw this.#window.eval("new TypeError('fetch failed')");
    const replaced = new Headers(response.headers);
    const now = new Date().toUTCString(); // Node writes the time of the machine
    for (const [name, value] of Object.entries({ Date: now, ...this.faults.headers }))
      replaced.set(name, value);
    return new Response(altered ?? text, { status, headers: replaced });
  }

  /** Time passes at once. What the page does after more than a second is left to {@link later}. */
  #wait(work: () => void, ms = 0): void {
    if (ms > 1000) return void this.#later.push(work);
    if (ms === 1000) this.#effects.push(`a second: ${this.find('#progress').textContent}`);
    const pass = async () => {
      await new Promise((resolve) => void setTimeout(resolve, 0));
      vi.setSystemTime(Date.now() + ms);
      work();
    };
    void this.#count(pass());
  }

  async #count<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay += 1;
    return await work.finally(() => (this.#underWay -= 1));
  }

  /** Waits until the page does nothing any more. */
  async settled(): Promise<void> {
    for (let idle = 0; idle < 4; idle += 1) {
      await new Promise((resolve) => void setTimeout(resolve, 1));
      if (this.#underWay > 0) idle = 0;
    }
  }

  find(selector: string): HTMLElement {
    const found = this.#window.document.querySelector(selector);
    if (found === null) throw new Error(`nothing is ${selector}`);
    return found as HTMLElement;
  }

  send(element: HTMLElement, type: string, properties: object = {}): void {
    const event = new this.#window.MouseEvent(type, { bubbles: true, cancelable: true });
    element.dispatchEvent(Object.assign(event, properties));
  }

  /** Clicks on the first button, link or summary with this text or label; otherwise on what the selector finds. */
  click(name: string): void {
    const all = [...this.#window.document.querySelectorAll('button, a[href], summary')] as HTMLElement[];
    const named = all.find(
      (each) => each.textContent.trim() === name || each.getAttribute('aria-label') === name,
    );
    this.send(named ?? this.find(name), 'click');
  }

  press(selector: string, key: string): void {
    this.send(this.find(selector), 'keydown', { key });
  }

  fill(id: string, value: string, types = ['input', 'change']): void {
    const field = this.find(`#${id}`) as HTMLInputElement;
    field.value = value;
    for (const type of types) this.send(field, type);
  }

  enter(key: string): void {
    this.fill('key', key);
    this.click('Open');
  }

  /** Follows links, each at once after the one before. */
  goTo(...hashes: string[]): void {
    for (const hash of hashes) this.#window.location.hash = hash;
  }

  goBack(): void {
    this.#window.history.back();
  }

  /** The window is another, or somewhere else. */
  change(type: 'scroll' | 'resize', parts: { scrollY: number } | { innerWidth: number }): void {
    this.#replace(parts);
    this.#window.dispatchEvent(new this.#window.Event(type));
  }

  /** What the page left to later. */
  later(): void {
    for (const work of this.#later.splice(0)) work();
  }

  /**
   * What happened since the last call: effects, then lines of the state of the page, each change with a line after it. A
   * view that was replaced by another one is not repeated.
   */
  changes(): string {
    const lines = this.#state();
    const all = diff(lines, this.#lines);
    const isReplaced = all.filter(([kind]) => kind < 0).length > 100;
    const changed = all
      .filter(([kind]) => kind >= 0 || !isReplaced)
      .filter(([kind], index, rest) => kind !== 0 || (rest[index - 1]?.[0] ?? 0) !== 0)
      .map(([kind, line]) => `${kind === 0 ? ' ' : kind > 0 ? '+' : '-'} ${line}`);
    this.#lines = lines;
    return [...this.#effects.splice(0), ...changed].join('\n');
  }

  /** The address, title, focus and values of controls, and a line for each tag. */
  #state(): string[] {
    const { document, location } = this.#window;
    const controls = document.querySelectorAll('input[id], select[id], textarea[id]');
    const { activeElement, title, body } = document;
    return [
      `address ${location.hash}`,
      `title ${title}`,
      `focus ${activeElement.isConnected ? activeElement.tagName : 'gone'} ${activeElement.id}`,
      ...Array.from(controls, (each) => `${each.id} = ${(each as HTMLInputElement).value}`),
      ...linesOf(body.outerHTML).split('\n'),
    ];
  }
}
