/** Takes a lock, prints a line, and keeps the lock until it is killed: `lock-holder.process.ts FILE`. */
import { withLock } from '../../../lib/files/file-lock.ts';

await withLock(process.argv[2]!, async () => {
  process.stdout.write('held\n');
  await new Promise((resolve) => setInterval(resolve, 1e9));
});
