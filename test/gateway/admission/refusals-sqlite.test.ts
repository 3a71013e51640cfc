/** @module-tag black-box */
import { acme } from '../../adapters/publish.ts';
import { openRecords } from '../../adapters/read-over-http.ts';
import { describeRefusals } from './refusals.ts';

describeRefusals('SQLite', async (folder) => openRecords(folder), `/api/v1/brands/${acme.id}/visibility`);
