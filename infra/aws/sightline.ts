import { App, Tags, Validations } from 'aws-cdk-lib';
import type { AppProps, StackProps } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks } from 'cdk-nag';
import type { Parameters } from './parameters.ts';
import { AlarmsStack } from './stacks/alarms.ts';
import { AuditStack } from './stacks/audit.ts';
import { GatewayStack } from './stacks/gateway.ts';
import { IngestStack } from './stacks/ingest.ts';
import { NetworkStack } from './stacks/network.ts';
import { OperatorStack } from './stacks/operator.ts';
import { RecordsStack } from './stacks/records.ts';
import { StorageStack } from './stacks/storage.ts';
import { WeeklyStack } from './stacks/weekly.ts';

/** With strong references, a stack cannot delete or change a value that another stack uses. */
const settings = { '@aws-cdk/core:defaultCrossStackReferences': 'strong' };

/** An application whose synthesis fails if the security rules report a finding that is not accepted with a reason. */
export function checkedApp(props: AppProps = {}): App {
  const app = new App({ ...props, context: { ...flags, ...settings, ...props.context } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  return app;
}

/** All stacks of a deployment. Synthesis needs no lookups and builds nothing; the account is that of the caller. */
export function sightline(app: App, parameters: Parameters) {
  const { name, region } = parameters;
  const props = (purpose: string): StackProps & { parameters: Parameters } => ({
    env: { region },
    stackName: `${name}-${purpose}`,
    description: `Sightline: ${purpose.toLowerCase()}`,
    parameters,
  });
  const storage = new StorageStack(app, 'Storage', props('Storage'));
  const network = new NetworkStack(app, 'Network', { ...props('Network'), logs: storage.logs });
  const records = new RecordsStack(app, 'Records', { ...props('Records'), network });
  const serving = { network, storage, records };
  const gateway = new GatewayStack(app, 'Gateway', { ...props('Gateway'), ...serving });
  const operator = new OperatorStack(app, 'Operator', { ...props('Operator'), ...serving });
  const ingest = new IngestStack(app, 'Ingest', { ...props('Ingest'), storage });
  const weekly = new WeeklyStack(app, 'Weekly', { ...props('Weekly'), network, storage });
  const audit = new AuditStack(app, 'Audit', { ...props('Audit'), network, storage, weekly });
  const alarms = new AlarmsStack(app, 'Alarms', { ...props('Alarms'), gateway, records, weekly, audit });
  Tags.of(app).add('application', name);
  return { storage, network, records, gateway, operator, ingest, weekly, audit, alarms };
}
