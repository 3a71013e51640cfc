import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// From the second start on: 27 MB less memory, because the types need not be stripped again. Beside the packages and
// not in the shared temporary folder, where somebody else could leave us code to run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sightline', import.meta.url)));
await import('./command.ts');
