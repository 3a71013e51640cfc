import { writeFileSync } from 'node:fs';
import { describedApi } from './description.ts';

// A test compares the file with the code.
const file = new URL('../../docs/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(describedApi(), null, 2)}\n`);
