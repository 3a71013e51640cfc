import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { reasonOf } from '../../lib/failure.ts';
import { freePort } from '../support/free-port.ts';

const lookup = (_name: string, _options: object, found: (error: null, addresses: object[]) => void) =>
  found(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ]);

test('the reason why no address of a name can be reached names each of them', async () => {
  const port = await freePort();
  const socket = connect({ host: 'two.example', port, lookup: lookup as never, autoSelectFamily: true });
  const [error] = (await once(socket, 'error')) as [Error];
  const [one, two] = ['127.0.0.1', '127.0.0.2'].map((address) => `connect ECONNREFUSED ${address}:${port}`);
  expect(reasonOf(error)).toBe(`${one}; ${two}`);
});
