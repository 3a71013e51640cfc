import { encodeDocument } from '../../../../lib/documents/encode.ts';
import type { Results } from '../../../../lib/documents/results.ts';
import { changeOf } from '../../../../lib/methodology/results.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

type Prompt = Results['prompts'][number];
type Engine = Prompt['engines'][number];
type Row = Omit<Prompt, 'engines'> & Omit<Engine, 'isNamed' | 'wasNamed' | 'change'>;

/** The results document (methodology, Results). */
export const results: DocumentSource = async (connection, slice) => {
  const rowsOf = await selectByBrand<Row>(connection, import.meta, 'engine-results', slice);
  return (brandNo, brand) => {
    const byPrompt = Map.groupBy(rowsOf(brandNo), ({ promptId }) => promptId);
    const prompts = [...byPrompt].map(([promptId, rows]) => {
      return { promptId, promptText: rows[0]!.promptText, engines: rows.map(engineOf) };
    });
    return encodeDocument('results', { brand, prompts });
  };
};

function engineOf({ promptId: _id, promptText: _text, ...counted }: Row): Engine {
  const isNamed = counted.position !== null;
  const wasNamed = counted.previousDate === null ? null : counted.previousPosition !== null;
  return { ...counted, isNamed, wasNamed, change: changeOf(isNamed, wasNamed) };
}
