/** A response of the API. */
export interface Answer<Data> {
  data: Data;
  /** The exact text of the response, which a proof covers. */
  body: string;
  /** The snapshot that it is from; null before the first one. */
  snapshotId: string | null;
}

/** An error that the page shows; its message is a sentence. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The part of the allowance that is left to others: scripts with the same workspace's keys. */
const RESERVED = 0.1;
const ATTEMPTS = 4;

const USED_UP = 'the requests of this minute are used up, apart from those left to your scripts.';
const NO_RESPONSE = 'the service could not respond.';

const sentences: Readonly<Record<number, string>> = {
  401: 'The key is not valid: check that it was copied whole, or ask for a new one if it was revoked.',
  402: 'The plan of this workspace does not include the API. After an upgrade the same key works again.',
  404: 'This week is not there any more: its documents were removed, or the brand was not tracked then.',
  500: 'The service could not respond. Try again in a minute.',
};

/**
 * Sends requests with one key, and leaves the last tenth of each minute's allowance to others. It waits for the next
 * minute instead, and reports each wait.
 */
export class Requests {
  readonly #key: string;
  readonly #reportWait: (sentence: string) => void;
  /** Responses that never change, by path. */
  readonly #kept = new Map<string, Promise<Answer<unknown>>>();
  #allowance: { limit: number; remaining: number; reset: number; resetsAt: number } | null = null;
  /** The time of the newest response by the service's clock: older ones are from the browser's cache. */
  #newest = -Infinity;
  #underWay = 0;

  /** @param reportWait called with the seconds left and the reason, each second, and with '' when a wait is over */
  constructor(key: string, reportWait: (sentence: string) => void) {
    this.#key = key;
    this.#reportWait = reportWait;
  }

  /** @throws ApiError; the reason of the signal if that is aborted. */
  async get<Data>(path: string, signal: AbortSignal): Promise<Answer<Data>> {
    const known = this.#kept.get(path);
    if (known !== undefined) {
      // It may have failed, or been aborted with the view that first asked for it.
      const found = await known.catch(() => null);
      if (found !== null) return found as Answer<Data>;
      signal.throwIfAborted();
    }
    const answer = this.#request<Data>(path, signal);
    if (path.startsWith('/api/v1/snapshots/')) this.#kept.set(path, answer);
    return await answer;
  }

  /** True if less than half of the minute's requests are left: what can wait is then left out. */
  get isScarce(): boolean {
    const known = this.#allowance;
    if (known === null || Date.now() >= known.resetsAt) return false;
    return known.remaining < known.limit / 2;
  }

  /** True if a path was asked for: its response is kept, and costs no request, unless that failed. */
  has(path: string): boolean {
    return this.#kept.has(path);
  }

  /** Takes a response that another path has too, so that nobody asks for it again. */
  keep(path: string, answer: Answer<unknown>): void {
    this.#kept.set(path, Promise.resolve(answer));
  }

  async #request<Data>(path: string, signal: AbortSignal): Promise<Answer<Data>> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#takePlace(signal);
      const response = await this.#fetch(path, signal).finally(() => (this.#underWay -= 1));
      if (response === null || response.status >= 500) {
        if (attempt === ATTEMPTS) throw new ApiError(500, sentences[500]!);
        await this.#wait(2 ** attempt, NO_RESPONSE, signal);
      } else if (response.status === 429) {
        await this.#wait(Number(response.headers.get('Retry-After') ?? 60), USED_UP, signal);
      } else {
        return await answerOf<Data>(response);
      }
    }
  }

  /** Null if there was no response, or the signal was aborted. */
  async #fetch(path: string, signal: AbortSignal): Promise<Response | null> {
    try {
      const response = await fetch(path, { headers: { Authorization: `Bearer ${this.#key}` }, signal });
      this.#note(response.headers);
      return response;
    } catch {
      return null;
    }
  }

  #note(headers: Headers): void {
    const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
      Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN),
    );
    const at = Date.parse(String(headers.get('Date')));
    if (Number.isNaN(limit) || !(at >= this.#newest)) return;
    this.#newest = at;
    const known = this.#allowance;
    // Responses may arrive out of order.
    const left = known?.reset === reset ? Math.min(known!.remaining, remaining!) : remaining!;
    const resetsAt = Date.now() + Math.min(60_000, reset! * 1000 - at);
    this.#allowance = { limit: limit!, remaining: left, reset: reset!, resetsAt };
  }

  /** Waits until one more request may be sent, and counts it as under way. */
  async #takePlace(signal: AbortSignal): Promise<void> {
    for (;;) {
      const known = this.#allowance;
      if (known === null || Date.now() >= known.resetsAt) break;
      if (known.remaining - this.#underWay > Math.ceil(known.limit * RESERVED)) break;
      await this.#wait(Math.ceil((known.resetsAt - Date.now()) / 1000) + 1, USED_UP, signal);
    }
    this.#underWay += 1;
  }

  async #wait(seconds: number, reason: string, signal: AbortSignal): Promise<void> {
    for (let left = Math.min(seconds, 120); left > 0; left -= 1) {
      signal.throwIfAborted();
      this.#reportWait(`Waiting ${left} s: ${reason}`);
      await new Promise((resolve) => void setTimeout(resolve, 1000));
    }
    signal.throwIfAborted();
    this.#reportWait('');
  }
}

async function answerOf<Data>(response: Response): Promise<Answer<Data>> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new ApiError(response.status, sentences[response.status] ?? sentences[500]!);
  }
  const body = await response.text();
  const { data } = JSON.parse(body) as { data: Data };
  return { data, body, snapshotId: response.headers.get('X-Snapshot-Id') };
}
