/** @module-tag black-box */
import { openRecords } from '../../adapters/read-over-http.ts';
import { describeRefusals } from './refusals.ts';

describeRefusals('SQLite', async (folder) => openRecords(folder));
