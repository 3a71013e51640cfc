/** Settings of every session, so that the defaults of the server, database and user do not matter. */
export const sessionSettings = (maxWaitMs: number) => ({
  default_transaction_isolation: 'read committed',
  // A change that a command reported must survive a crash of the server, above all a revocation.
  synchronous_commit: 'on',
  statement_timeout: maxWaitMs,
  lock_timeout: maxWaitMs,
  idle_in_transaction_session_timeout: maxWaitMs,
});

/**
 * Admission does not sync every commit: on a slow disk each batch of a workspace would take 5 ms more, one after the
 * other. The statements turn sync on for a batch that completes a tenth of an allowance. A batch with a count that another
 * transaction keeps locked fails early, so that those behind it are admitted in time. The planner may use only indexes in
 * nested loops: the statement reads a handful of rows, and its plan must not change with the statistics.
 */
export const admissionSettings = (maxWaitMs: number) => ({
  synchronous_commit: 'off',
  lock_timeout: Math.ceil(maxWaitMs / 4),
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
});

export type Settings = Record<string, string | number>;

/**
 * Adds session settings to a URL, after those that it already has. `sslmode=prefer`, `require` and `verify-ca` become
 * `verify-full`: the driver treats them so anyway, but prints a warning of nine lines at every start.
 */
export function withSettings(url: string, settings: Settings): string {
  const address = new URL(url);
  const mode = address.searchParams.get('sslmode') ?? '';
  if (
    ['prefer', 'require', 'verify-ca'].includes(mode) &&
    address.searchParams.get('uselibpqcompat') !== 'true'
  )
    address.searchParams.set('sslmode', 'verify-full');
  const given = address.searchParams.get('options') ?? '';
  const ours = Object.entries(settings).map(
    ([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`,
  );
  address.searchParams.set('options', [given, ...ours].join(' ').trim());
  return address.href;
}

/** Host and database, without user and password. */
export function postgresAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** The name of the records in messages, without user and password. */
export function postgresName(url: string): string {
  return `records in PostgreSQL at ${postgresAddress(url)}`;
}
