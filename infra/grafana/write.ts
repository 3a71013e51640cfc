import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboard } from './dashboard.ts';

writeFileSync(join(import.meta.dirname, 'sightline.json'), `${JSON.stringify(buildDashboard(), null, 2)}\n`);
