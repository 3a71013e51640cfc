import description from '../../package.json' with { type: 'json' };
import { readConfig, settingsGiven } from '../../lib/config.ts';
import { formats } from '../../lib/store/formats.ts';
import { examine, failure, ok } from './finding.ts';
import type { Finding } from './finding.ts';

/** @param version of Node, such as 26.0.0 */
export function judgeNode(version: string): Finding {
  const { node: engines } = description.engines;
  const least = Number(engines.replace('>=', ''));
  const found = `${version}, and package.json asks for ${engines}`;
  return Number(version.split('.')[0]) >= least
    ? ok('node', found)
    : failure('node', found, 'run "npm ci", and start programs with "npm run", which uses the right version');
}

export async function examineMachine(): Promise<Finding[]> {
  const settings = await examine('settings', 'docs/settings.md lists what each of them takes', async () => {
    readConfig();
    const given = settingsGiven();
    return ok('settings', given.length === 0 ? 'all at their defaults' : `given: ${given.join(', ')}`);
  });
  const { api, oldestClient } = formats;
  const version = `sightline ${description.version}, serves API ${api} to clients from ${oldestClient} on`;
  return [ok('version', version), judgeNode(process.versions.node), ...settings];
}
