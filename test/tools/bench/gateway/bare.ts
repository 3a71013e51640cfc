import { readFile } from 'node:fs/promises';
import fastify from 'fastify';

/** The baseline for the gateway: Fastify with one route and the same bytes, without admission. */
const body = await readFile(process.env['BODY']!);
const app = fastify();
app.get('/api/v1/brands', (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
process.once('SIGTERM', () => void app.close());
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
