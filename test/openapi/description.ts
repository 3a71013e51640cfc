import { buildOpenApi } from '../../lib/openapi/index.ts';
import examples from './examples.json' with { type: 'json' };
import historyExamples from './history-examples.json' with { type: 'json' };

/** The OpenAPI description with the demo's data as examples, as docs/openapi.json has it. */
export function describedApi() {
  return buildOpenApi({ ...examples, ...historyExamples });
}
