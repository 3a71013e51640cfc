/** What every session sets for itself, so that the defaults of a server, a database or a user do not matter. */
export const sessionSettings = (maxWaitMs: number) => ({
  default_transaction_isolation: 'read committed',
  // What a command reported survives a crash of the server, above all a revocation.
  synchronous_commit: 'on',
  statement_timeout: maxWaitMs,
  lock_timeout: maxWaitMs,
  idle_in_transaction_session_timeout: maxWaitMs,
});

/**
 * Admission does not sync every commit: 5 ms for each batch of a workspace, one after the other, where the disk is slow.
 * The statements turn it on for the batch that completes a tenth of an allowance. Admission does not wait long for a
 * locked count either, so that the other workspaces of its batch are served in time. The
 * planner is kept from everything but indexes in nested loops: the statement asks for a handful of rows, and the plan
 * must not turn with the statistics.
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
 * Settings of the session, given while connecting, after those that the address may have. `sslmode=prefer`, `require`
 * and `verify-ca` become `verify-full`: the driver treats them so, with a warning of nine lines at every start.
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

/** For messages. */
export function postgresName(url: string): string {
  return `records in PostgreSQL at ${postgresAddress(url)}`;
}
