import { writeFileSync } from 'node:fs';
import { buildOpenApi } from './index.ts';

// A test compares the file with the code.
const file = new URL('../../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(buildOpenApi(), null, 2)}\n`);
